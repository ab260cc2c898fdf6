package dev.leasehold.cli;

import dev.leasehold.Lease;
import org.jspecify.annotations.Nullable;

/** An event is what can happen to a run. All of it goes through one queue to one thread. */
sealed interface Event {

    /** The claim was answered: a lease, or null if the lock is busy. */
    record Claimed(@Nullable Lease lease) implements Event {}

    /** The claim failed. */
    record Failed(Throwable cause) implements Event {}

    /** The lease is lost. */
    record Lost() implements Event {}

    /** A signal came; this is its name without SIG. */
    record Signalled(String name, int number) implements Event {}

    /** The command has ended. */
    record Exited(int status) implements Event {}

    /** The guard has said something. */
    record GuardSaid(String line) implements Event {}
}
