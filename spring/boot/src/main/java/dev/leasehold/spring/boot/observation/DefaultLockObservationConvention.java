package dev.leasehold.spring.boot.observation;

import dev.leasehold.observe.LockCall;
import dev.leasehold.spring.boot.observation.LockObservation.LowCardinality;
import io.micrometer.common.KeyValues;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * This is the usual convention, as {@link LockObservation} documents it. Metrics have no names of locks, of which there
 * may be many. Thread-safe. Key values with few values are made once per combination and kept, since Micrometer asks
 * for them four times per lock.
 */
public final class DefaultLockObservationConvention implements LockObservationConvention {

    private record Combination(String outcome, String template, String store, LockCall.Mode mode) {}

    private record Title(LockObservation kind, String template) {}

    private final Map<Combination, KeyValues> combinations = new ConcurrentHashMap<>();
    private final Map<Title, String> titles = new ConcurrentHashMap<>();

    /** Makes the convention. */
    public DefaultLockObservationConvention() {}

    @Override
    public String getContextualName(LockObservationContext context) {
        return titles.computeIfAbsent(
                new Title(context.kind(), context.template()),
                title -> title.kind().name().toLowerCase(Locale.ROOT) + " " + title.template());
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        Combination combination = new Combination(
                context.outcome(),
                context.template(),
                context.call().client().storeKind(),
                context.call().mode());
        return combinations.computeIfAbsent(combination, DefaultLockObservationConvention::keyValues);
    }

    private static KeyValues keyValues(Combination of) {
        return KeyValues.of(
                LowCardinality.OUTCOME.withValue(of.outcome()),
                LowCardinality.TEMPLATE.withValue(of.template()),
                LowCardinality.STORE.withValue(of.store()),
                LowCardinality.MODE.withValue(of.mode().name().toLowerCase(Locale.ROOT)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        return context.highCardinality();
    }
}
