package dev.leasehold.battery;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A peer is a library whose locks run under the battery: our own, or another, configured as its documentation recommends.
 */
enum Peer {
    LEASEHOLD(null, EnumSet.allOf(StoreKind.class)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return new LeaseholdLocks(uri, label, lease, renewing);
        }
    },
    /** This peer uses {@code RLock} with its watchdog. */
    REDISSON("redisson", EnumSet.of(StoreKind.REDIS)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return RedissonLocks.plain(servers(uri), lease);
        }
    },
    /** This peer uses {@code RFairLock} with its watchdog. */
    REDISSON_FAIR("redisson", EnumSet.of(StoreKind.REDIS)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return RedissonLocks.fair(servers(uri), lease);
        }
    },
    /** This peer uses {@code RedissonMultiLock} over three masters, all of which it needs. */
    REDISSON_MULTI("redisson", EnumSet.of(StoreKind.REDLOCK)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return RedissonLocks.multi(servers(uri), lease);
        }
    },
    /** This peer uses {@code InterProcessMutex}, with a look at the connection's state. */
    CURATOR("curator-recipes", EnumSet.of(StoreKind.ZOOKEEPER)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return new CuratorLocks(String.join(",", servers(uri)));
        }
    },
    /** This peer uses {@code RedisLockRegistry} with a scheduler that renews. */
    SPRING_REDIS("spring-integration-redis", EnumSet.of(StoreKind.REDIS)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return SpringLocks.redis(servers(uri).get(0), lease);
        }
    },
    /** This peer uses {@code JdbcLockRegistry}; the holder renews, and counts the time to live itself. */
    SPRING_JDBC("spring-integration-jdbc", EnumSet.of(StoreKind.POSTGRES, StoreKind.MARIADB)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return SpringLocks.jdbc(uri, lease);
        }

        @Override
        void prepare(StoreKind store, String uri) throws Exception {
            Pool.execute(
                    uri,
                    "CREATE TABLE INT_LOCK (LOCK_KEY CHAR(36) NOT NULL, REGION VARCHAR(100) NOT NULL, CLIENT_ID CHAR(36),"
                            + " CREATED_DATE TIMESTAMP(6) NOT NULL, EXPIRED_AFTER TIMESTAMP(6) NOT NULL,"
                            + " CONSTRAINT INT_LOCK_PK PRIMARY KEY (LOCK_KEY, REGION))");
        }
    },
    /** This peer uses the Redis provider; the holder counts {@code lockAtMostFor} itself. */
    SHEDLOCK_REDIS("shedlock-provider-redis-spring", EnumSet.of(StoreKind.REDIS)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return ShedLockLocks.redis(servers(uri).get(0), lease);
        }
    },
    /**
     * This peer uses the JDBC template provider with the database's time; the holder counts {@code lockAtMostFor}
     * itself.
     */
    SHEDLOCK_JDBC("shedlock-provider-jdbc-template", EnumSet.of(StoreKind.POSTGRES, StoreKind.MARIADB)) {
        @Override
        Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing) {
            return ShedLockLocks.jdbc(uri, lease);
        }

        @Override
        void prepare(StoreKind store, String uri) throws Exception {
            Pool.execute(
                    uri,
                    "CREATE TABLE shedlock (name VARCHAR(64) NOT NULL, lock_until TIMESTAMP(3) NOT NULL,"
                            + " locked_at TIMESTAMP(3) NOT NULL, locked_by VARCHAR(255) NOT NULL, PRIMARY KEY (name))");
        }
    };

    private static final Pattern SERVER = Pattern.compile("127\\.0\\.0\\.1:\\d+");

    private final String artifact;
    private final Set<StoreKind> stores;

    Peer(String artifact, Set<StoreKind> stores) {
        this.artifact = artifact;
        this.stores = stores;
    }

    /** Returns the locks of one client process. */
    abstract Locks locks(StoreKind store, String uri, String label, Duration lease, boolean renewing);

    /** Makes the tables that the library wants to find. */
    void prepare(StoreKind store, String uri) throws Exception {}

    /** Returns the rules that it can keep or break: without tokens and stated ends there is less to judge. */
    Set<Violation.Rule> rules() {
        return switch (this) {
            case LEASEHOLD -> EnumSet.allOf(Violation.Rule.class);
            case CURATOR, REDISSON_FAIR ->
                EnumSet.of(
                        Violation.Rule.EXCLUSION,
                        Violation.Rule.ORDER,
                        Violation.Rule.AVAILABILITY,
                        Violation.Rule.RESUMPTION);
            default -> EnumSet.of(Violation.Rule.EXCLUSION, Violation.Rule.AVAILABILITY, Violation.Rule.RESUMPTION);
        };
    }

    /**
     * Returns the time that a fault may cost beyond that for our own locks: a fair lock of Redisson's waits for 5 s for
     * each waiter that has died.
     */
    Duration recovery() {
        return this == REDISSON_FAIR ? Duration.ofSeconds(10) : Duration.ZERO;
    }

    /** Returns the stores on which it runs. */
    Set<StoreKind> stores() {
        return stores;
    }

    boolean isOurs() {
        return this == LEASEHOLD;
    }

    /** Returns its name on the command line. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the version that is on the class path. */
    String version() {
        if (artifact == null) {
            return "0.1.0-SNAPSHOT";
        }
        Pattern jar = Pattern.compile(Pattern.quote(artifact) + "-(\\d[^/:]*)\\.jar");
        return jar.matcher(System.getProperty("java.class.path"))
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElse("?");
    }

    private static List<String> servers(String uri) {
        return SERVER.matcher(uri).results().map(MatchResult::group).toList();
    }

    /**
     * Finds a peer by its word.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Peer named(String word) {
        return Arrays.stream(values())
                .filter(peer -> peer.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no peer '" + word + "'; there are "
                        + Arrays.stream(values()).map(Peer::word).collect(Collectors.joining(", "))));
    }
}
