package dev.leasehold.cli;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations are read as people write them: {@code 30}, {@code 500ms}, {@code 1.5h}, {@code PT2M}. */
final class Durations {

    static final String FORMS = "write a number of seconds, or a number with ms, s, m, h or d, or ISO 8601 as PT2M30S";

    /** A duration that is too large for the clock is cut to this. */
    static final Duration HUGE = Duration.ofSeconds(Long.MAX_VALUE / 1_000_000_000L);

    private static final Pattern PLAIN = Pattern.compile("([+-]?)([0-9]+(?:\\.[0-9]+)?)\\s*(ms|s|m|h|d|)");
    private static final Map<String, Long> NANOS = Map.of(
            "ms", 1_000_000L,
            "", 1_000_000_000L,
            "s", 1_000_000_000L,
            "m", 60_000_000_000L,
            "h", 3_600_000_000_000L,
            "d", 86_400_000_000_000L);

    private Durations() {}

    static Duration parse(String text) {
        String plain = text.strip().toLowerCase(Locale.ROOT);
        Matcher matcher = PLAIN.matcher(plain);
        if (matcher.matches()) {
            BigDecimal nanos = new BigDecimal(matcher.group(1) + matcher.group(2))
                    .multiply(BigDecimal.valueOf(NANOS.getOrDefault(matcher.group(3), 1L)))
                    .setScale(0, RoundingMode.UP);
            if (nanos.abs().compareTo(BigDecimal.valueOf(HUGE.toNanos())) > 0) {
                return nanos.signum() > 0 ? HUGE : HUGE.negated();
            }
            return Duration.ofNanos(nanos.longValueExact());
        }
        if (plain.matches("[+-]?p.*")) {
            try {
                Duration iso = Duration.parse(plain);
                return iso.compareTo(HUGE) > 0 ? HUGE : iso;
            } catch (DateTimeParseException e) {
                if (e.getCause() instanceof ArithmeticException && !plain.contains("-")) {
                    return HUGE;
                }
                throw new IllegalArgumentException("'" + text + "' is not a duration: " + FORMS, e);
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not a duration: " + FORMS);
    }
}
