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
    /** A voucher that a master has loaded is none. */
    VOUCHER_ENDS_WITH_ITS_MEMORY,
    /** A master with another history than the voucher's looks at its marker, even if it has loaded nothing. */
    VOUCHER_NAMES_ITS_HISTORY
}
