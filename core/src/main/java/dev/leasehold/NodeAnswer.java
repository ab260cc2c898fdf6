package dev.leasehold;

import java.util.Objects;

/**
 * What one node of a store that consists of several has answered, for people to read. Immutable.
 *
 * <p>Later versions may add parts: read it by its accessors, and leave its making to the library.
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
