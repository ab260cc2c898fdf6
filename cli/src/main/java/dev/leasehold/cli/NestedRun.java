package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A nested run waits for a lock that is held by the run from which it was started: it would wait for its own end. */
final class NestedRun {

    private static final long LOOK_AFTER_MILLIS = 500;

    private NestedRun() {}

    /** Warns of a nested run: if this may be one, it looks a moment later for the holder of the lock, and names it. */
    static void warn(Leasehold leasehold, String name, Terminal terminal) {
        String token = terminal.environment().get("LEASEHOLD_TOKEN");
        if (token != null && name.equals(terminal.environment().get("LEASEHOLD_NAME"))) {
            CompletableFuture.delayedExecutor(LOOK_AFTER_MILLIS, TimeUnit.MILLISECONDS)
                    .execute(() -> look(leasehold, name, token, terminal));
        }
    }

    /** Returns whether this process waits: it may share the lock with the outer run by now. */
    private static boolean waits(LockInfo lock) {
        Owner here = Owner.here();
        return lock.waiters().stream()
                .anyMatch(waiter -> Owner.parse(waiter.owner()).isSameProcess(here));
    }

    private static void look(Leasehold leasehold, String name, String token, Terminal terminal) {
        try {
            LockInfo lock = leasehold.info(name).orElse(null);
            if (lock == null) {
                return;
            }
            for (HolderInfo holder : lock.holders()) {
                boolean outer = token.equals(Long.toString(holder.token()));
                if (outer && (holder.isExclusive() || waits(lock))) {
                    terminal.say("the lock '" + Escapes.shown(name)
                            + "' is held by the very run that this one is part of"
                            + (lock.holders().size() == 1 ? "" : ", and by others")
                            + ", so it waits for its own end; drop the inner run, or give it another name");
                }
            }
        } catch (LockException | InterruptedException | IllegalStateException e) {
            // Then it is not told; the wait itself says what is wrong with the store.
        }
    }
}
