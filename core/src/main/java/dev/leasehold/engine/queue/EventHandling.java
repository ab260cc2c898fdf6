package dev.leasehold.engine.queue;

import dev.leasehold.spi.ClockReading;
import java.util.ArrayList;
import java.util.List;

/** An event handling is one event's: the time at which it happened, and the actions that follow from it. */
final class EventHandling {

    /** This stands between two events, when nothing is handled. */
    static final EventHandling NONE = new EventHandling(new ClockReading(0, 0), List.of());

    private final ClockReading clocks;
    private final List<Action> actions;

    EventHandling(ClockReading clocks) {
        this(clocks, new ArrayList<>(4));
    }

    private EventHandling(ClockReading clocks, List<Action> actions) {
        this.clocks = clocks;
        this.actions = actions;
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
