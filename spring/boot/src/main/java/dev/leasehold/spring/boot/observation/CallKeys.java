package dev.leasehold.spring.boot.observation;

import dev.leasehold.observe.LockGrant;
import dev.leasehold.spring.boot.observation.LockObservation.HighCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The call keys are the key values with many values of one call, made once for both of its observations: Micrometer asks a
 * convention for them at the start and again at the end of each. Thread-safe.
 */
final class CallKeys {

    private final KeyValue lock;
    private final KeyValues asked;
    private volatile @Nullable KeyValues granted;

    CallKeys(String lock) {
        this.lock = HighCardinality.LOCK.withValue(lock);
        this.asked = KeyValues.of(this.lock);
    }

    /** Returns the key values of a call that has got something; null for one that has not. */
    KeyValues of(@Nullable LockGrant grant) {
        if (grant == null) {
            return asked;
        }
        KeyValues known = granted;
        if (known == null) {
            List<KeyValue> all = new ArrayList<>(3);
            all.add(lock);
            all.add(HighCardinality.TOKEN.withValue(Long.toString(grant.token())));
            grant.slot().ifPresent(slot -> all.add(HighCardinality.SLOT.withValue(Integer.toString(slot))));
            known = KeyValues.of(all);
            granted = known;
        }
        return known;
    }
}
