package dev.leasehold;

/**
 * A distributed read-write lock is a name that either any number of readers hold at a time, or one writer alone, in all
 * processes that use the same store. Thread-safe. Its two sides are locks like all others, with the same options.
 *
 * <p>First come, first served: readers that come one after the other hold together, and a writer that waits stops the readers
 * that come after it, so neither starves. A thread that holds a read lease and asks again while a writer waits therefore
 * waits for itself; after ten seconds that is logged. A reader cannot become a writer. A writer can become a reader without letting anybody in
 * between: {@link Lease#downgrade()}.
 *
 * <p><b>Fencing.</b> A resource that readers use, too, keeps two numbers: <i>exclusive</i>, the greatest token that a writer
 * has registered, and <i>newest</i>, the greatest of all. A writer <i>registers</i>: it is refused if its token is below
 * newest, and else raises both. A reader <i>registers shared</i>: it is refused if its token is below exclusive, and else
 * raises newest. So a writer that has lost its lease is refused once a later reader has begun, and changes nothing that this
 * reader has seen. A reader registers before its first read, and again after the last one (or reads in the transaction in
 * which it registers): then no older writer has changed what it saw. What a dead writer had committed is seen, half of it if
 * its work was several transactions.
 */
public interface DistributedReadWriteLock {

    /** {@return the lock's name, without the namespace} */
    String name();

    /** {@return the lock of the readers: its holders share it among each other} */
    DistributedLock read();

    /** {@return the lock of the writers, the same as the {@linkplain Leasehold#lock mutex} of the name} */
    DistributedLock write();
}
