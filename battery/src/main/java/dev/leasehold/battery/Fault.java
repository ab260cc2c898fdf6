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
    /** What a client and its servers say to each other arrives late. */
    DELAY("delay"),
    /** The servers get each request of a client a second time, late. */
    DUPLICATE("duplicate");

    private final String word;

    Fault(String word) {
        this.word = word;
    }

    /** As the command line and the histories name it. */
    String word() {
        return word;
    }

    /** Whether the store may forget what it has answered. */
    boolean forgets() {
        return this == AMNESIA || this == FLUSH;
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
