package dev.leasehold.cli;

import java.time.Duration;

/** How a command is run on a lease. The grace is cut to what such a lease allows. */
record RunSettings(Command command, Duration lease, Duration maxHold, Duration grace, boolean killOnLoss) {

    RunSettings {
        grace = EndTimes.grace(grace, lease);
    }
}
