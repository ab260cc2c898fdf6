package dev.leasehold.cli;

/**
 * The exit status is what the command ends with when it does not pass on another's. Its numbers are from sysexits.h
 * where that has one.
 */
final class ExitStatus {

    static final int OK = 0;
    /** Of show: nobody holds the lock. */
    static final int NOBODY_HOLDS_IT = 1;

    /** Nothing was broken: nobody held the lock, or no more, or the user declined. */
    static final int NOTHING_BROKEN = 1;

    /** Of quorum init: the user declined. */
    static final int NOT_OPENED = 1;

    /** Of quorum status: no lock can be granted now. */
    static final int NO_MAJORITY = 1;

    /** Of doctor; the numbers are those of monitoring plugins. */
    static final int WARNED = 1;

    static final int SERIOUS = 2;

    static final int USAGE = 64;
    static final int UNAVAILABLE = 69;
    static final int INTERNAL = 70;
    /** Standard output cannot be written. */
    static final int OUTPUT = 74;

    static final int BUSY = 75;
    /** The store refuses, and trying again will not help. */
    static final int CONFIG = 78;

    static final int LOST = 79;

    /** Shells, too, end with this status when a command cannot be executed. */
    static final int NOT_EXECUTABLE = 126;

    /** To this the number of a signal is added. */
    static final int SIGNALLED = 128;

    private ExitStatus() {}
}
