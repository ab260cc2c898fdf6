package dev.leasehold.spring;

import dev.leasehold.Lease;
import dev.leasehold.LeaseFunction;
import dev.leasehold.LeaseListener;
import dev.leasehold.LeaseLostException;
import dev.leasehold.LeaseState;
import org.jspecify.annotations.Nullable;

/**
 * A lease scope runs a body on this thread under a lease that goes on after it, and reports a loss as {@link
 * dev.leasehold.DistributedLock#call} does: the thread is interrupted, and the call fails with the loss. Its cause is what the
 * body has thrown then, since most bodies make an exception of their own of an interrupt.
 */
final class LeaseScope {

    private LeaseScope() {}

    static <T extends @Nullable Object> T run(Lease lease, boolean interruptOnLoss, LeaseFunction<T, ?> body)
            throws Exception {
        lease.ensureValid();
        BodyInterrupt interrupt = new BodyInterrupt();
        LeaseListener onLoss = (of, state) -> {
            if (state == LeaseState.LOST) {
                interrupt.interrupt();
            }
        };
        if (interruptOnLoss) {
            lease.addListener(onLoss);
        }
        T result;
        try {
            result = body.call(lease);
        } catch (Throwable thrown) {
            boolean byUs = interrupt.ended(thrown);
            LeaseLostException lost = loss(lease);
            if (lost != null && byUs) {
                throw caused(lost, thrown);
            } else if (lost != null) {
                thrown.addSuppressed(lost);
            }
            throw thrown;
        } finally {
            if (interruptOnLoss) {
                lease.removeListener(onLoss);
            }
        }
        interrupt.ended(null);
        LeaseLostException lost = loss(lease);
        if (lost != null) {
            throw lost;
        }
        return result;
    }

    /** Returns the loss that a call reports whose body has failed because of it. */
    static LeaseLostException caused(LeaseLostException lost, Throwable thrown) {
        return new LeaseLostException(lost.lock(), lost.token(), lost.reason(), thrown);
    }

    /** Returns why a lease is over that nobody has given back; null if it is valid. */
    private static @Nullable LeaseLostException loss(Lease lease) {
        if (lease.state() == LeaseState.RELEASED) {
            return null;
        }
        try {
            lease.ensureValid();
            return null;
        } catch (LeaseLostException lost) {
            return lost;
        }
    }
}
