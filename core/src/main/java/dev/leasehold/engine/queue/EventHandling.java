package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClockReading;
import java.util.ArrayList;
import java.util.List;

/** An event handling is one event's: the time at which it happened, and the actions that follow from it. */
final class EventHandling {

    private final ClockReading clocks;
    private final List<Action> actions = new ArrayList<>(4);

    EventHandling(ClockReading clocks) {
        this.clocks = clocks;
    }

    ClockReading clocks() {
        return clocks;
    }

    /** Returns the time of the event on the monotonic clock. */
    long now() {
        return clocks.nanos();
    }

    /** Returns the actions to perform, in this order. */
    List<Action> actions() {
        return actions;
    }

    void add(Action action) {
        actions.add(action);
    }
}
