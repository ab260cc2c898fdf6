package dev.leasehold;

import dev.leasehold.doctor.NodeAnswer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A store unavailable exception says that a store did not answer, or did not answer in time. {@link #outcome()} says whether
 * the lock is certainly not held or its state unknown. The protected code has not run.
 */
public final class StoreUnavailableException extends LockException {

    private static final long serialVersionUID = 1L;

    /** An outcome is what has become of the request that failed, as far as it is known. */
    public enum Outcome {
        /** It was certainly not carried out. */
        NOT_CARRIED_OUT,
        /**
         * It may have been carried out. Anything that it has left in the store is removed in the background, and at the
         * latest runs out with its lease.
         */
        UNKNOWN
    }

    private final String node;
    private final Outcome outcome;

    private final transient @Nullable List<NodeAnswer> nodes;

    private final @Nullable Duration backIn;

    private final boolean lasting;

    /**
     * Makes an exception.
     *
     * @param message what happened, on which store and node, what is known of the lock, and what to do
     * @param node the store or node that did not answer, without credentials
     * @param outcome what is known of the request
     * @param cause why
     */
    public StoreUnavailableException(String message, String node, Outcome outcome, @Nullable Throwable cause) {
        this(message, node, outcome, List.of(), null, cause);
    }

    /**
     * Makes an exception for a store of several nodes.
     *
     * @param message what happened, on which store and nodes, what is known of the lock, and what to do
     * @param node the store, without credentials
     * @param outcome what is known of the request
     * @param nodes what each node has answered
     * @param backIn after what time the store will serve again by itself, where that is known
     * @param cause why
     */
    public StoreUnavailableException(
            String message,
            String node,
            Outcome outcome,
            List<NodeAnswer> nodes,
            @Nullable Duration backIn,
            @Nullable Throwable cause) {
        this(message, node, outcome, nodes, backIn, false, cause);
    }

    /**
     * Makes an exception for a store of several nodes that may know already that trying again at once is in vain.
     *
     * @param message what happened, on which store and nodes, what is known of the lock, and what to do
     * @param node the store, without credentials
     * @param outcome what is known of the request
     * @param nodes what each node has answered
     * @param backIn after what time the store will serve again by itself, where that is known
     * @param lasting see {@link #isStoreDown()}
     * @param cause why
     */
    public StoreUnavailableException(
            String message,
            String node,
            Outcome outcome,
            List<NodeAnswer> nodes,
            @Nullable Duration backIn,
            boolean lasting,
            @Nullable Throwable cause) {
        super(message, cause);
        this.lasting = lasting;
        this.nodes = List.copyOf(nodes);
        this.backIn = backIn;
        this.node = Objects.requireNonNull(node, "node");
        this.outcome = Objects.requireNonNull(outcome, "outcome");
    }

    /** {@return the store or node that did not answer, without credentials} */
    public String node() {
        return node;
    }

    /** {@return the outcome of the request that failed, as far as it is known} */
    public Outcome outcome() {
        return outcome;
    }

    /**
     * Returns the answer of each node, where the store consists of several.
     *
     * @return one answer for each node, in the order in which they were named; empty for a store that is one
     */
    public List<NodeAnswer> nodes() {
        return nodes == null ? List.of() : nodes;
    }

    /**
     * Returns how soon the store will serve again by itself, where that is known: a quorum most of whose masters have just
     * been started says how long they have no vote.
     *
     * @return null if it is not known
     */
    public @Nullable Duration backIn() {
        return backIn;
    }

    /**
     * Returns whether the store was found to be down, and not just late with an answer: on a quorum of masters, that no
     * majority of them can be reached. A caller that tries only once fails with this at once; one that waits for the lock
     * waits for the client's store timeout all the same.
     *
     * @return true if so; false also where nobody can say
     */
    public boolean isStoreDown() {
        return lasting;
    }
}
