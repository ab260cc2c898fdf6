package dev.leasehold.jdbc.sqlite;

import dev.leasehold.LockException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The open files are a register of the store files that this JVM has open, and of the SQLite driver that each is open in.
 *
 * <p>Every class loader that loads the driver loads a native library of its own, with a list of its own of the POSIX locks that
 * it holds; but the system gives these to the process, and takes all of them away when any descriptor of the file is closed. So
 * two drivers in one process (two web applications that bring their own, or one that was deployed again) neither exclude each
 * other nor leave the file whole. The register lets one driver at a time have a file.
 *
 * <p>It is kept in the system properties, in strings: nothing else is shared by class loaders that share no class of ours. A
 * driver is known by its class and its class loader, as numbers that are the same for all copies of Leasehold that use it.
 */
final class OpenFiles {

    private static final String PREFIX = "dev.leasehold.sqlite.open.";

    private OpenFiles() {}

    /** An entry is a connection that is noted, until it is closed. */
    static final class Entry implements AutoCloseable {

        private final String key;
        private final String driver;
        private final AtomicBoolean left = new AtomicBoolean();

        private Entry(String key, String driver) {
            this.key = key;
            this.driver = driver;
        }

        /** Removes the entry from the register, once the connection has been closed. */
        @Override
        public void close() {
            if (left.compareAndSet(false, true)) {
                System.getProperties()
                        .computeIfPresent(key, (name, known) -> with(driver, count(known.toString(), driver) - 1));
            }
        }
    }

    /**
     * Notes one more connection, before it is opened.
     *
     * @param identity of the file, by which it is the same under all its names
     * @throws LockException if the file is open in another driver
     */
    static Entry enter(StoreFile file, Object identity) {
        String driver = id(SqliteDriver.type(file));
        String key = PREFIX + identity;
        System.getProperties().compute(key, (name, known) -> {
            int count = known == null ? 0 : count(known.toString(), driver);
            if (count < 0) {
                throw new LockException(
                        "the store " + file + " is open in this JVM already, through SQLite's driver in another"
                                + " class loader: two of them would both grant the lock, and could damage the file; nothing was"
                                + " locked. Put sqlite-jdbc (and Leasehold) where both applications share it, give each a file of"
                                + " its own if they need not exclude each other, or use a server as the store. If the other"
                                + " application was stopped, it has not closed its Leasehold");
            }
            return with(driver, count + 1);
        });
        return new Entry(key, driver);
    }

    private static @Nullable String with(String driver, int count) {
        return count <= 0 ? null : driver + ' ' + count;
    }

    /** Returns how many connections a driver has; -1 if they are another's. */
    private static int count(String known, String driver) {
        return known.startsWith(driver + ' ') ? Integer.parseInt(known.substring(driver.length() + 1)) : -1;
    }

    private static String id(Class<?> driver) {
        return Integer.toHexString(System.identityHashCode(driver))
                + '-'
                + Integer.toHexString(System.identityHashCode(driver.getClassLoader()));
    }
}
