package dev.leasehold.doctor;

import java.util.Objects;

/**
 * A node answer says what one node of a store that consists of several has answered, for people to read. Immutable.
 *
 * @param node the node, without credentials
 * @param answer what it said, or why there was no answer
 */
public record NodeAnswer(String node, String answer) {

    /** Checks the parts. */
    public NodeAnswer {
        Objects.requireNonNull(node, "node");
        Objects.requireNonNull(answer, "answer");
    }

    @Override
    public String toString() {
        return node + ": " + answer;
    }
}
