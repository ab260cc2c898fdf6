package dev.leasehold.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a b",
                "../../etc/passwd",
                "'; DROP TABLE x --",
                "{a}:{b}",
                "\uD83D\uDD12",
                "a\nb\r\t",
                " ",
                "%",
                "ä"
            })
    void anyTextIsAName(String name) {
        assertThat(LockNames.checked(name)).isSameAs(name);
    }

    @Test
    void isAtMost512BytesInUtf8() {
        assertThat(LockNames.checked("x".repeat(512))).hasSize(512);
        assertThat(LockNames.checked("\uD83D\uDD12".repeat(128))).hasSize(256);
        assertThatThrownBy(() -> LockNames.checked("x".repeat(513)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("513");
        assertThatThrownBy(() -> LockNames.checked("ä".repeat(257))).hasMessageContaining("514");
    }

    @Test
    void aLongNameIsShownShortened() {
        assertThatThrownBy(() -> LockNames.checked("\uD83D\uDD12".repeat(5_000)))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(250));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a\0b", "\uD83D", "a\uDD12b"})
    void refusesWhatStoresCannotKeepApart(String name) {
        assertThatThrownBy(() -> LockNames.checked(name)).isInstanceOf(IllegalArgumentException.class);
    }
}
