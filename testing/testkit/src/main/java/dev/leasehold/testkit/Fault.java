package dev.leasehold.testkit;

/** A fault is what may happen to a request or a signal on its way. */
enum Fault {
    /** Nothing. */
    NONE,
    /** The request never arrives, and its sender learns that the outcome is unknown. A signal is lost. */
    LOSE_REQUEST,
    /** The request is carried out, but its sender learns that the outcome is unknown. A signal is lost. */
    LOSE_ANSWER,
    /** The request arrives late, and its answer is waited for. A signal comes late. */
    DELAY_REQUEST,
    /** The request arrives at once, its answer comes late. A signal comes late. */
    DELAY_ANSWER,
    /** The request is carried out at once, and once more later. A signal comes at once and once more later. */
    REPEAT,
    /**
     * The sender learns that the outcome is unknown; after that the request arrives and is carried out. A signal comes
     * late.
     */
    LATE,
    /** The request never arrives, and its sender knows it. A signal is lost. */
    UNREACHABLE,
    /** The store refuses in a way that trying again will not change. A signal is lost. */
    REFUSE
}
