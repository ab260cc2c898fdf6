package dev.leasehold.cli;

import java.time.Duration;

/** How a command is run on a lease. */
record RunSettings(Command command, Duration lease, Duration maxHold, Duration grace, boolean killOnLoss) {}
