package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClockReading;
import java.util.ArrayList;
import java.util.List;

/** The handling of one event: when it happened, and what is to be done because of it. */
final class EventHandling {

    private final ClockReading clocks;
    private final List<Action> actions = new ArrayList<>(4);

    EventHandling(ClockReading clocks) {
        this.clocks = clocks;
    }

    ClockReading clocks() {
        return clocks;
    }

    /** On the monotonic clock. */
    long now() {
        return clocks.nanos();
    }

    /** What is to be done, in this order. */
    List<Action> actions() {
        return actions;
    }

    void add(Action action) {
        actions.add(action);
    }
}
