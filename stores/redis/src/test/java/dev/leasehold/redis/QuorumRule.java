package dev.leasehold.redis;

/** The rules of the quorum that can be switched off one by one, to see that the simulator finds it. */
public enum QuorumRule {
    /** A node that may have forgotten something has no vote. */
    MARKER,
    /** It has none for as long as the longest lease lasts, not less. */
    MARKER_AGE,
    /** The script reads the run id itself; no client names it. */
    RUN_ID_READ_BY_SCRIPT,
    /** A node accepts only a token above all that it has seen. */
    ACCEPT_ABOVE_LAST,
    /** A repeated proposal raises the token and never lowers it. */
    RAISE_NEVER_LOWER,
    /** A repeated or late request never brings the end of a lease forward. */
    NEVER_SHORTEN,
    /** A failed attempt is finished: the next has another name. */
    NEW_ATTEMPT_NAME,
    /** A gate's own grant counts for nothing. */
    GATES_GRANT_IS_NO_VOTE,
    /** A deadline counts from the sending of the request that was answered. */
    DEADLINE_FROM_SENDING,
    /** A node refuses proposals far ahead of its clock. */
    BOUND_ON_PROPOSALS,
    /** A failed attempt is released on all nodes, also where nothing was answered. */
    RELEASE_ON_ALL,
    /** Only a failed attempt takes back the last token that it has raised; a lease never does. */
    TAKE_BACK_NO_GRANT,
    /** A disk that is trusted excuses a new run, not data that came from another server. */
    TRUST_EXCUSES_RESTARTS_ONLY,
    /** A marker of another history is another's, even if the master has loaded nothing. */
    MARKER_NAMES_ITS_HISTORY,
    /** A node takes a reader only where nobody is, or readers are. */
    READERS_BESIDE_READERS_ONLY,
    /** A node takes a writer only where nobody is. */
    WRITER_ALONE,
    /** A gate gives no turn to one that does not fit. */
    GATE_GRANTS_WHO_FITS,
    /** A reader raises its token only above what others beside it have. */
    RAISE_ABOVE_LAST,
    /** Each reader has an end of its own. */
    AN_END_OF_ITS_OWN,
    /** The release of a reader is no other's. */
    RELEASE_CONCERNS_ONE,
    /** A failed reader takes back what it has raised, not what others beside it have. */
    TAKE_BACK_ITS_OWN,
    /** A reader that has left is remembered when another beside it fails. */
    READERS_LEAVE_A_TRACE,
    /** A node that has refused a writer because of readers takes no new ones for a moment. */
    REFUSED_WRITER_SHUTS_READERS_OUT,
    /** A renewal or a top-up of a writer leaves it there as a writer. */
    RENEWALS_CARRY_THE_SHARE,
    /** A reader is topped up only above the last token that excludes it. */
    READERS_TOP_UP_ABOVE_EXCLUSIVE,
    /** A reader that the gate has refused does not win with a majority of the other nodes. */
    BUSY_GATE_FAILS_READERS
}
