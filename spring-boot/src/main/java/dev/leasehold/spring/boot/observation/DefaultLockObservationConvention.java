package dev.leasehold.spring.boot.observation;

import dev.leasehold.spring.boot.observation.LockObservation.HighCardinality;
import dev.leasehold.spring.boot.observation.LockObservation.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/** The usual convention, as {@link LockObservation} documents it. Metrics have no names of locks, of which there may be many. */
public final class DefaultLockObservationConvention implements LockObservationConvention {

    /** Makes the convention. */
    public DefaultLockObservationConvention() {}

    @Override
    public String getContextualName(LockObservationContext context) {
        return context.kind().name().toLowerCase(Locale.ROOT) + " " + context.template();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        return KeyValues.of(
                LowCardinality.OUTCOME.withValue(context.outcome()),
                LowCardinality.TEMPLATE.withValue(context.template()),
                LowCardinality.STORE.withValue(context.call().client().storeKind()),
                LowCardinality.MODE.withValue(context.call().mode().name().toLowerCase(Locale.ROOT)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        KeyValues values =
                KeyValues.of(HighCardinality.LOCK.withValue(context.call().lock()));
        if (context.token() == 0) {
            return values;
        }
        KeyValue token = HighCardinality.TOKEN.withValue(Long.toString(context.token()));
        return context.slot().isEmpty()
                ? values.and(token)
                : values.and(
                        token,
                        HighCardinality.SLOT.withValue(
                                Integer.toString(context.slot().getAsInt())));
    }
}
