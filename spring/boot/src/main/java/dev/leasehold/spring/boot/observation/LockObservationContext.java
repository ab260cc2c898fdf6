package dev.leasehold.spring.boot.observation;

import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A lock observation context has all that is known of a lock while it is observed. */
public final class LockObservationContext extends Observation.Context {

    private final LockObservation kind;
    private final LockCall call;
    private final String template;
    private final CallKeys keys;
    private volatile String outcome = "unknown";
    private volatile @Nullable LockGrant grant;

    LockObservationContext(LockObservation kind, LockCall call, String template, CallKeys keys) {
        this.kind = kind;
        this.call = call;
        this.template = template;
        this.keys = keys;
    }

    /** {@return which observation this is} */
    public LockObservation kind() {
        return kind;
    }

    /** {@return the call for the lock} */
    public LockCall call() {
        return call;
    }

    /** {@return the template of the lock's name, {@code none} if there is none} */
    public String template() {
        return template;
    }

    /** {@return what it came to; {@code unknown} until then} */
    public String outcome() {
        return outcome;
    }

    /** {@return the token, 0 before there is one} */
    public long token() {
        LockGrant got = grant;
        return got == null ? 0 : got.token();
    }

    /** {@return the slot of a permit; empty for all else, and before there is one} */
    public OptionalInt slot() {
        LockGrant got = grant;
        return got == null ? OptionalInt.empty() : got.slot();
    }

    KeyValues highCardinality() {
        return keys.of(grant);
    }

    void end(String came, @Nullable LockGrant got) {
        outcome = came;
        grant = got;
    }
}
