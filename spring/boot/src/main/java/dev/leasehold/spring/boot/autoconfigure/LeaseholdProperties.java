package dev.leasehold.spring.boot.autoconfigure;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Leasehold properties are the properties of the client.
 *
 * @param namespace Keeps lock names of different users of one store apart.
 * @param label Words about this client, for people who ask who holds a lock. The application's name by default.
 * @param lease Time after which a lock is free if its holder's process has died. It is renewed while the lock is held.
 * @param maxHold Time for which one hold is renewed at most.
 * @param maxWait How long a method with Locked waits for the lock where it does not say so.
 * @param store Where the locks live.
 * @param election Elections of a leader.
 * @param shutdown How the application ends.
 * @param fence The bean that guards data against holders of older tokens.
 */
@ConfigurationProperties("leasehold")
public record LeaseholdProperties(
        @DefaultValue("") String namespace,
        @Nullable String label,
        @DefaultValue("30s") Duration lease,
        @DefaultValue("24h") Duration maxHold,
        @DefaultValue("1m") Duration maxWait,
        @DefaultValue Store store,
        @DefaultValue Election election,
        @DefaultValue Shutdown shutdown,
        @DefaultValue Fence fence) {

    /**
     * Store properties say where the locks live.
     *
     * @param uri URI of the store, such as redis://HOST or jdbc:postgresql://HOST/DATABASE. Comes before everything else.
     * @param password Password for the URI, where it should not stand in it.
     * @param type Which of the application's own connections is used. Needed only where there are several.
     * @param timeout How long an unreachable store is waited for.
     * @param check Whether the start fails if the store refuses, because a table is missing for example. A store that cannot be
     *     reached is only logged.
     * @param jdbc Locks in a SQL database.
     */
    public record Store(
            @Nullable String uri,
            @Nullable String password,
            @Nullable StoreType type,
            @DefaultValue("10s") Duration timeout,
            @DefaultValue("true") boolean check,
            @DefaultValue Jdbc jdbc) {

        /** Returns neither the URI nor the password: either may be a secret. */
        @Override
        public String toString() {
            return "Store[type=" + type + ", timeout=" + timeout + ", check=" + check + ", jdbc=" + jdbc + "]";
        }
    }

    /**
     * JDBC properties concern locks in a SQL database.
     *
     * @param schema Schema of the tables.
     * @param tables What the names of the tables begin with.
     * @param initializeSchema Whether the tables are made where they are missing.
     * @param ownPool Whether a small pool of connections is made for the locks, so that the application's transactions
     *     cannot keep leases from being renewed. Needs a Hikari pool to take the settings from.
     * @param connections How many connections are used at a time.
     * @param listen Whether PostgreSQL may keep one more connection to listen for releases.
     * @param sessionLocks Whether locks are held by a session of the database.
     */
    public record Jdbc(
            @Nullable String schema,
            @Nullable String tables,
            @DefaultValue("true") boolean initializeSchema,
            @DefaultValue("true") boolean ownPool,
            @DefaultValue("3") int connections,
            @DefaultValue("true") boolean listen,
            @DefaultValue("false") boolean sessionLocks) {}

    /**
     * Election properties concern elections of a leader.
     *
     * @param office Name of the office that LeaderOnly without a name means. The application's name by default, with
     *     "-leader".
     */
    public record Election(@Nullable String office) {}

    /**
     * Shutdown properties say how the application ends.
     *
     * @param waitTime How long bodies under locks may go on by themselves.
     * @param interruptWaitTime How long they may take after they were interrupted. Then leases are not renewed any more.
     */
    public record Shutdown(
            @DefaultValue("20s") Duration waitTime,
            @DefaultValue("5s") Duration interruptWaitTime) {}

    /**
     * Fence properties concern the bean that guards data against holders of older tokens.
     *
     * @param initializeSchema Whether the fence's table is made in the application's database where it is missing.
     */
    public record Fence(@DefaultValue("false") boolean initializeSchema) {}
}
