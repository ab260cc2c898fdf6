package dev.leasehold;

/**
 * A distributed semaphore is a name that several holders may hold at a time, at most as many as it has permits, in all
 * processes that use the same store. Thread-safe. Each lease is one permit; a permit whose holder has died comes back when
 * its lease has run out.
 *
 * <p>The number of permits is kept nowhere: each holder says with how many it will share, and the smallest number among
 * those present counts, its own included. So a change from 5 to 8 can be rolled out process by process: while one of
 * five is there nobody is the sixth. A {@link Leasehold#lock mutex} of the same name shares with nobody. There is no
 * overtaking: a claim that does not fit blocks all later ones.
 *
 * <p>A permit has a {@link Lease#slot() slot}, a number from 0 to {@code permits() - 1} that no other valid permit has. Where
 * a resource is fenced, fence each slot on its own (resource name and slot together, {@code "printer/" + slot}): the tokens
 * of one slot increase, those of different slots are valid side by side.
 */
public interface DistributedSemaphore extends DistributedLock {

    /** {@return with how many permits at most, its own included, a permit of this semaphore coexists} */
    int permits();
}
