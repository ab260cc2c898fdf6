package dev.leasehold.spring;

import dev.leasehold.LockOptions;
import java.lang.reflect.Method;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** Annotation values are the texts in one method's annotation: placeholders are resolved, durations parsed. */
record AnnotationValues(Method method, @Nullable ConfigurableBeanFactory beans) {

    private static final String FOREVER = "forever";

    String text(String value) {
        String resolved;
        try {
            resolved = beans == null ? value : beans.resolveEmbeddedValue(value);
        } catch (IllegalArgumentException e) {
            throw new InvalidLockedMethodException(
                    method, "'" + value + "' cannot be resolved: " + e.getMessage(), "Set the property", e);
        }
        if (resolved != null && resolved.contains("${")) {
            throw new InvalidLockedMethodException(
                    method, "'" + resolved + "' has a placeholder that cannot be resolved", "Set the property", null);
        }
        return resolved == null ? "" : resolved;
    }

    /** Returns a duration, or null for a text that is empty. */
    @Nullable Duration duration(String attribute, String value) {
        String text = text(value).strip();
        if (text.isEmpty()) {
            return null;
        }
        if (text.equals(FOREVER)) {
            return LockOptions.FOREVER;
        }
        try {
            return DurationFormatterUtils.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidLockedMethodException(
                    method,
                    attribute + " is '" + text + "', which is no duration",
                    "Write for example 10s, 5m or PT1H",
                    e);
        }
    }
}
