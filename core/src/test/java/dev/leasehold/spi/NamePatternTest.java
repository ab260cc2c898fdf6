package dev.leasehold.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class NamePatternTest {

    @Test
    void aNameIsAPatternForItselfAlone() {
        for (String name : new String[] {"a", "*", "a?b*", "\\", "a\\*\\\\", "$1"}) {
            assertThat(NamePattern.ofName(name).matches(name)).as(name).isTrue();
            assertThat(NamePattern.ofName(name).matches(name + "x")).as(name).isFalse();
        }
        assertThat(NamePattern.ofName("a*").matches("ab")).isFalse();
        assertThat(NamePattern.ofName("a?").matches("ab")).isFalse();
    }

    private static final String[] PATTERN_PARTS = {"a", "b", "*", "?", "\\*", "\\?", "\\\\", "\\a", "\uD83D\uDD12"};
    private static final String[] NAME_PARTS = {"a", "b", "*", "?", "\\", "\uD83D\uDD12"};

    @Test
    void agreesWithANaiveReference() {
        Random random = new Random(20261120);
        int matches = 0;
        for (int i = 0; i < 200_000; i++) {
            String pattern = text(random, PATTERN_PARTS);
            String name = text(random, NAME_PARTS);
            boolean expected =
                    naive(pattern.codePoints().toArray(), 0, name.codePoints().toArray(), 0);
            assertThat(NamePattern.of(pattern).matches(name))
                    .as("'%s' against '%s'", pattern, name)
                    .isEqualTo(expected);
            matches += expected ? 1 : 0;
        }
        assertThat(matches).as("the inputs reach both outcomes").isBetween(10_000, 190_000);
    }

    private static String text(Random random, String[] parts) {
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(7); n > 0; n--) {
            text.append(parts[random.nextInt(parts.length)]);
        }
        return text.toString();
    }

    private static boolean naive(int[] pattern, int p, int[] name, int n) {
        if (p == pattern.length) {
            return n == name.length;
        }
        if (pattern[p] == '*') {
            return naive(pattern, p + 1, name, n) || (n < name.length && naive(pattern, p, name, n + 1));
        }
        if (n == name.length) {
            return false;
        }
        if (pattern[p] == '\\') {
            return pattern[p + 1] == name[n] && naive(pattern, p + 2, name, n + 1);
        }
        return (pattern[p] == '?' || pattern[p] == name[n]) && naive(pattern, p + 1, name, n + 1);
    }

    @Test
    void noPatternIsExpensive() {
        NamePattern evil = NamePattern.of("*a".repeat(250) + "b");
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(10),
                () -> assertThat(evil.matches("a".repeat(512))).isFalse());
    }

    @Test
    void aLoneBackslashIsRefused() {
        assertThatThrownBy(() -> NamePattern.of("a\\")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NamePattern.of(null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void aPatternWithoutWildcardsMeansOneName() {
        assertThat(NamePattern.of("a\\*b\\\\🔒").onlyName()).isEqualTo("a*b\\🔒");
        assertThat(NamePattern.of("a*").onlyName()).isNull();
        assertThat(NamePattern.of("a?").onlyName()).isNull();
    }

    @Test
    void showsItsText() {
        assertThat(NamePattern.of("a\\*b*")).hasToString("a\\*b*");
    }
}
