package dev.leasehold.benchmarks.server;

import java.util.Arrays;
import java.util.Locale;

/** A store kind is a store that benchmarks run on. */
public enum StoreKind {
    SQLITE("SQLite", "–"),
    REDIS("Redis", "commands"),
    QUORUM("5 Redis masters", "commands to the first"),
    POSTGRES("PostgreSQL", "writing transactions"),
    MARIADB("MariaDB", "statements"),
    ZOOKEEPER("ZooKeeper", "requests");

    private final String label;
    private final String requests;

    StoreKind(String label, String requests) {
        this.label = label;
        this.requests = requests;
    }

    /** Returns the name in tables. */
    public String label() {
        return label;
    }

    /** The name of a request to it, as tables have it. */
    public String requests() {
        return requests;
    }

    /** Returns the name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static StoreKind named(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no store is named " + word));
    }
}
