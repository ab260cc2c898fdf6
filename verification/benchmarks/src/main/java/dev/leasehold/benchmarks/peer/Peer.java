package dev.leasehold.benchmarks.peer;

import java.util.Arrays;
import java.util.Locale;

/** A peer is one of the libraries that are compared, or the least that a kind of lock takes. */
public enum Peer {
    BARE("bare") {
        @Override
        public LockClient open(Target target) throws Exception {
            return switch (target.store()) {
                case REDIS -> new BareRedis(target);
                case QUORUM -> new BareQuorum(target);
                case POSTGRES, MARIADB -> new BareSql(target);
                case ZOOKEEPER -> new BareZooKeeper(target);
                case SQLITE -> throw new IllegalArgumentException("there is no floor for " + target.store());
            };
        }
    },
    BARE_QUEUE("two bare scripts") {
        @Override
        public LockClient open(Target target) {
            return new BareQueue(target);
        }
    },
    BARE_RELAY("two bare commits and a NOTIFY") {
        @Override
        public LockClient open(Target target) throws Exception {
            return new BareRelay(target);
        }
    },
    LEASEHOLD("Leasehold") {
        @Override
        public LockClient open(Target target) {
            return new LeaseholdClient(target, -1);
        }
    },
    LEASEHOLD_MOVED("Leasehold, no local hand-overs") {
        @Override
        public LockClient open(Target target) {
            return new LeaseholdClient(target, 0);
        }
    },
    SHEDLOCK("ShedLock") {
        @Override
        public LockClient open(Target target) throws Exception {
            return ShedLockClient.open(target);
        }
    },
    SPRING("Spring Integration") {
        @Override
        public LockClient open(Target target) throws Exception {
            return SpringClient.open(target, false);
        }
    },
    SPRING_PUBSUB("Spring Integration, pub/sub") {
        @Override
        public LockClient open(Target target) throws Exception {
            return SpringClient.open(target, true);
        }
    },
    REDISSON("Redisson") {
        @Override
        public LockClient open(Target target) {
            return new RedissonLocks(target, false);
        }
    },
    REDISSON_FAIR("Redisson, fair") {
        @Override
        public LockClient open(Target target) {
            return new RedissonLocks(target, true);
        }
    },
    REDLOCK("Redisson RedLock") {
        @Override
        public LockClient open(Target target) {
            return RedissonQuorum.redLock(target);
        }
    },
    MULTILOCK("Redisson MultiLock") {
        @Override
        public LockClient open(Target target) {
            return RedissonQuorum.multiLock(target);
        }
    },
    CURATOR("Curator") {
        @Override
        public LockClient open(Target target) throws Exception {
            return new CuratorClient(target);
        }
    };

    private final String label;

    Peer(String label) {
        this.label = label;
    }

    /** Returns the name in tables. */
    public String label() {
        return label;
    }

    /** Returns the name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns whether it is a floor, which promises nothing, and not a library. */
    public boolean isBare() {
        return name().startsWith("BARE");
    }

    public boolean isLeasehold() {
        return name().startsWith("LEASEHOLD");
    }

    public abstract LockClient open(Target target) throws Exception;

    public static Peer named(String word) {
        return Arrays.stream(values())
                .filter(peer -> peer.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no contestant is named " + word));
    }
}
