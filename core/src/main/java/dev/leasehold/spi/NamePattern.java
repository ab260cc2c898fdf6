package dev.leasehold.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A name pattern says which lock names are meant: {@code *} stands for any characters, {@code ?} for one, a backslash takes
 * the next character literally. It matches without backtracking over more than one star, so that no pattern is expensive.
 */
public final class NamePattern {

    private final int[] pattern;
    private final boolean[] literal;
    private final int length;
    private final String text;

    private NamePattern(String text) {
        this.text = text;
        int[] points = text.codePoints().toArray();
        int[] units = new int[points.length];
        boolean[] escaped = new boolean[points.length];
        int n = 0;
        for (int i = 0; i < points.length; i++) {
            boolean escape = points[i] == '\\';
            if (escape && ++i == points.length) {
                throw new IllegalArgumentException("pattern '" + text + "' ends in a lone backslash");
            }
            escaped[n] = escape;
            units[n++] = points[i];
        }
        this.pattern = units;
        this.literal = escaped;
        this.length = n;
    }

    /**
     * Reads a pattern.
     *
     * @param text the pattern
     * @return the pattern, read
     * @throws IllegalArgumentException if it ends in a lone backslash
     */
    public static NamePattern of(String text) {
        return new NamePattern(Objects.requireNonNull(text, "text"));
    }

    /**
     * Returns a pattern for one name alone.
     *
     * @param name a lock's name, taken literally
     * @return the pattern
     */
    public static NamePattern ofName(String name) {
        return of(name.replaceAll("[*?\\\\]", "\\\\$0"));
    }

    /**
     * Returns whether a name is meant.
     *
     * @param name a lock's name
     * @return true if the whole name matches
     */
    public boolean matches(String name) {
        int[] points = name.codePoints().toArray();
        int p = 0;
        int n = 0;
        int star = -1;
        int resume = 0;
        while (n < points.length) {
            if (p < length && isWild(p, '*')) {
                star = p++;
                resume = n;
            } else if (p < length && (isWild(p, '?') || pattern[p] == points[n])) {
                p++;
                n++;
            } else if (star >= 0) {
                p = star + 1;
                n = ++resume;
            } else {
                return false;
            }
        }
        while (p < length && isWild(p, '*')) {
            p++;
        }
        return p == length;
    }

    /** {@return the name that is meant, or null if the pattern has a wildcard} */
    public @Nullable String onlyName() {
        for (int i = 0; i < length; i++) {
            if (isWild(i, '*') || isWild(i, '?')) {
                return null;
            }
        }
        return new String(pattern, 0, length);
    }

    private boolean isWild(int position, char wildcard) {
        return !literal[position] && pattern[position] == wildcard;
    }

    @Override
    public String toString() {
        return text;
    }
}
