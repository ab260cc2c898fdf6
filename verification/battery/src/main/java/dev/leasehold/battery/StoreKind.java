package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A store kind is one that the battery can start. */
enum StoreKind {
    SQLITE {
        @Override
        StoreUnderTest start(Path directory, Fault fault) {
            return new SqliteUnderTest(directory);
        }

        @Override
        Set<Fault> faults() {
            return EnumSet.of(Fault.NONE, Fault.STOP, Fault.KILL, Fault.SUSPEND, Fault.MIXED);
        }
    },
    REDIS {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return RedisUnderTest.one(directory, fault);
        }

        @Override
        Set<Fault> faults() {
            return EnumSet.complementOf(EnumSet.of(
                    Fault.RESTART_ALL,
                    Fault.MINORITY_LOST,
                    Fault.MAJORITY_LOST,
                    Fault.BARE_MAJORITY_CLOCK,
                    Fault.FAIL_OVER,
                    Fault.RESHARDING,
                    Fault.LEADER_KILL));
        }
    },
    SENTINEL {
        @Override
        StoreUnderTest start(Path directory, Fault fault) {
            return new SentinelUnderTest();
        }

        @Override
        Set<Fault> faults() {
            return EnumSet.of(
                    Fault.NONE,
                    Fault.STOP,
                    Fault.KILL,
                    Fault.SUSPEND,
                    Fault.SESSION_KILL,
                    Fault.FAIL_OVER,
                    Fault.MIXED);
        }
    },
    REDLOCK {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return RedisUnderTest.quorum(3, directory, fault);
        }

        @Override
        Set<Fault> faults() {
            return EnumSet.complementOf(EnumSet.of(Fault.FAIL_OVER, Fault.RESHARDING, Fault.LEADER_KILL));
        }
    },
    CLUSTER {
        @Override
        StoreUnderTest start(Path directory, Fault fault) {
            return new ClusterUnderTest();
        }

        @Override
        Set<Fault> faults() {
            return EnumSet.of(
                    Fault.NONE,
                    Fault.STOP,
                    Fault.KILL,
                    Fault.SERVER_STOP,
                    Fault.RESTART,
                    Fault.FLUSH,
                    Fault.SUSPEND,
                    Fault.SESSION_KILL,
                    Fault.RESHARDING,
                    Fault.MIXED);
        }
    },
    POSTGRES {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return postgres(directory, fault, "");
        }

        @Override
        Set<Fault> faults() {
            return ofReplicatedDatabases();
        }
    },
    PGBOUNCER {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return PoolerUnderTest.start(directory, fault);
        }

        @Override
        Set<Fault> faults() {
            EnumSet<Fault> faults = EnumSet.copyOf(ofDatabases());
            faults.removeIf(Fault::movesServerClock);
            faults.removeAll(EnumSet.of(Fault.AMNESIA, Fault.FLUSH)); // They are the database's, not the pooler's.
            return faults;
        }
    },
    MARIADB {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return DatabaseUnderTest.mariaDb(directory, fault, "");
        }

        @Override
        Set<Fault> faults() {
            return ofDatabases();
        }
    },
    /** The sessions of PostgreSQL hold the locks. */
    POSTGRES_SESSION {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return postgres(directory, fault, SESSION_LOCKS);
        }

        @Override
        Set<Fault> faults() {
            return ofReplicatedDatabases();
        }
    },
    /** The sessions of MariaDB hold the locks. */
    MARIADB_SESSION {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return DatabaseUnderTest.mariaDb(directory, fault, SESSION_LOCKS);
        }

        @Override
        Set<Fault> faults() {
            return ofDatabases();
        }
    },
    ZOOKEEPER {
        @Override
        StoreUnderTest start(Path directory, Fault fault) throws IOException {
            return ZooKeeperUnderTest.start(directory, fault);
        }

        @Override
        Set<Fault> faults() {
            return EnumSet.complementOf(EnumSet.of(
                    Fault.AMNESIA,
                    Fault.FLUSH,
                    Fault.DUPLICATE,
                    Fault.SESSION_KILL,
                    Fault.BARE_MAJORITY_CLOCK,
                    Fault.FAIL_OVER,
                    Fault.RESHARDING));
        }
    };

    private static final String SESSION_LOCKS = "leasehold.sessionLocks=true";

    private static StoreUnderTest postgres(Path directory, Fault fault, String option) throws IOException {
        return fault == Fault.FAIL_OVER
                ? new ReplicatedPostgresUnderTest(option)
                : DatabaseUnderTest.postgres(directory, fault, option);
    }

    private static Set<Fault> ofReplicatedDatabases() {
        EnumSet<Fault> faults = EnumSet.copyOf(ofDatabases());
        faults.add(Fault.FAIL_OVER);
        return faults;
    }

    private static Set<Fault> ofDatabases() {
        return EnumSet.of(
                Fault.NONE,
                Fault.STOP,
                Fault.KILL,
                Fault.SERVER_STOP,
                Fault.RESTART,
                Fault.AMNESIA,
                Fault.FLUSH,
                Fault.CUT,
                Fault.BLACK_HOLE,
                Fault.DELAY,
                Fault.SUSPEND,
                Fault.CLOCK_FORWARD,
                Fault.CLOCK_BACK,
                Fault.SESSION_KILL,
                Fault.MIXED);
    }

    /**
     * Starts the servers.
     *
     * @param directory for files; it stays when the store is closed
     * @param fault the fault that they have to be prepared for
     * @throws Missing if this machine cannot
     */
    abstract StoreUnderTest start(Path directory, Fault fault) throws IOException;

    /** Returns the faults that a store of this kind can have. */
    abstract Set<Fault> faults();

    /**
     * Returns how long it may take after a fault until locks are granted again: a lease that runs out, waiters that went
     * silent, a hand-over that nobody takes; and what the servers and connections need besides.
     */
    Duration recovery(Duration lease) {
        return longestLease(lease).multipliedBy(3).plus(settling());
    }

    /**
     * Returns how long a lease may be that was asked for with a length; in ZooKeeper it is as long as the session's
     * time-out.
     */
    Duration longestLease(Duration asked) {
        Duration session = ZooKeeperUnderTest.SESSION;
        return this == ZOOKEEPER && session.compareTo(asked) > 0 ? session : asked;
    }

    private Duration settling() {
        return switch (this) {
            case SQLITE, REDIS -> Duration.ofMillis(1_500);
            case SENTINEL -> Duration.ofSeconds(20);
            case POSTGRES, MARIADB -> Duration.ofSeconds(4);
            case PGBOUNCER, POSTGRES_SESSION, MARIADB_SESSION -> Duration.ofSeconds(6);
            case REDLOCK, CLUSTER, ZOOKEEPER -> Duration.ofSeconds(8);
        };
    }

    /** Returns whether sessions hold its locks, and no leases in tables. */
    boolean hasSessionLocks() {
        return this == POSTGRES_SESSION || this == MARIADB_SESSION;
    }

    /** Returns its name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Finds a kind by its word.
     *
     * @throws IllegalArgumentException if there is none
     */
    static StoreKind named(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store '" + word + "'; there are "
                        + Arrays.stream(values()).map(StoreKind::word).collect(Collectors.joining(", "))));
    }
}
