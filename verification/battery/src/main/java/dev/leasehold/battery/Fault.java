package dev.leasehold.battery;

import java.util.Arrays;
import java.util.stream.Collectors;

/** A fault is something that the battery does to a client or to a server. */
enum Fault {
    /** Nothing: what the others are compared with. */
    NONE("none"),
    /** A client process is stopped (SIGSTOP), for less or for more than a lease, and goes on. */
    STOP("stop"),
    /** A client process is killed, and another one begins in its place. */
    KILL("kill"),
    /** A server process is stopped, and goes on. */
    SERVER_STOP("server-stop"),
    /** A server is killed, and comes back with its data. */
    RESTART("restart"),
    /** A server is killed, and comes back without its data. */
    AMNESIA("amnesia"),
    /** A server's data is deleted while it runs. */
    FLUSH("flush"),
    /** The connections of a client are cut with a reset, and new ones are refused for a while. */
    CUT("cut"),
    /** A client and its servers hear nothing of each other for a while; what was said arrives late. */
    BLACK_HOLE("black-hole"),
    /** Messages between a client and its servers arrive late. */
    DELAY("delay"),
    /** The servers get each request of a client a second time, late. */
    DUPLICATE("duplicate"),
    /** A client process sleeps: its monotonic clock stands still meanwhile, its wall clock does not. */
    SUSPEND("suspend"),
    /** The wall clock of a server is set forward. */
    CLOCK_FORWARD("clock-forward"),
    /** The wall clock of a server is set back. */
    CLOCK_BACK("clock-back"),
    /** A server ends the connections of its clients. */
    SESSION_KILL("session-kill"),
    /** All servers are killed, and come back with their data. */
    RESTART_ALL("restart-all"),
    /** A minority of the servers is killed, and comes back with its data after a while. */
    MINORITY_LOST("minority-lost"),
    /** A majority of the servers is killed, and comes back with its data after a while. */
    MAJORITY_LOST("majority-lost"),
    /** One of three servers is killed; while it is away, the wall clock of another is set forward. */
    BARE_MAJORITY_CLOCK("bare-majority-clock"),
    /** A master is killed and its replica takes over. */
    FAIL_OVER("fail-over"),
    /** The slot of a lock that is in use moves to another master of a cluster, and back at the next strike. */
    RESHARDING("resharding"),
    /** The leader of an ensemble is killed, and comes back with its data after a while. */
    LEADER_KILL("leader-kill"),
    /** Two of the store's other faults are on at the same time: one of a client, one of servers. See {@link Mixture}. */
    MIXED("mixed");

    private final String word;

    Fault(String word) {
        this.word = word;
    }

    /** Returns its name on the command line and in the histories. */
    String word() {
        return word;
    }

    /** Returns whether a server's clock is set. */
    boolean movesServerClock() {
        return this == CLOCK_FORWARD || this == CLOCK_BACK || this == BARE_MAJORITY_CLOCK;
    }

    /** Returns whether a store loses what it had. */
    boolean forgets() {
        return this == AMNESIA || this == FLUSH;
    }

    /** Returns whether it strikes a client process or its connections, not servers. */
    boolean strikesClients() {
        return switch (this) {
            case STOP, KILL, CUT, BLACK_HOLE, DELAY, DUPLICATE, SUSPEND -> true;
            default -> false;
        };
    }

    /** Returns whether clients may fall asleep, so that each needs a shim of its clocks. */
    boolean suspendsClients() {
        return this == SUSPEND || this == MIXED && ClockShim.isThere();
    }

    /**
     * Finds a fault by its word.
     *
     * @throws IllegalArgumentException if there is none
     */
    static Fault named(String word) {
        return Arrays.stream(values())
                .filter(fault -> fault.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no fault '" + word + "'; there are "
                        + Arrays.stream(values()).map(Fault::word).collect(Collectors.joining(", "))));
    }
}
