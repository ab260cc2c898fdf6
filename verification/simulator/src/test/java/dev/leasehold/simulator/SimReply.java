package dev.leasehold.simulator;

import java.util.List;

/**
 * A simulated reply is all that comes of one request.
 *
 * @param answer for the asker
 * @param signals for others
 */
public record SimReply(SimAnswer answer, List<SimSignal> signals) {

    /** Makes the list unmodifiable. */
    public SimReply {
        signals = List.copyOf(signals);
    }
}
