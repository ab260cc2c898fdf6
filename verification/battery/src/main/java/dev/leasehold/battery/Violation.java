package dev.leasehold.battery;

/** A violation is a rule that a history breaks, and where. */
record Violation(Rule rule, String text) {

    /** A rule is what a history has to obey. */
    enum Rule {
        /** No more callers believed in their holds at one moment than the smallest share among them. */
        EXCLUSION,
        /** Tokens increase in the order of grants. */
        TOKENS,
        /** A waiter is not overtaken again and again by those who asked later. */
        ORDER,
        /**
         * Nobody believed in a hold beyond the end that its lease had stated, and no lease stated one further away than
         * it is long.
         */
        TRUTH,
        /** A holder heard of a loss by the end that its lease had stated. */
        TIMELY_LOSS,
        /** A wait ended in bounded time. */
        WAITING,
        /** A call failed for want of the store only while something was the matter with it. */
        AVAILABILITY,
        /** After a fault, locks are granted again. */
        RESUMPTION,
        /** While a majority of the servers is away, nobody gets a lock, and no lease is made longer. */
        NO_MAJORITY,
        /** While only a minority of the servers is away, locks are granted. */
        GOES_ON,
        /** At the end the store has no holder and no waiter. */
        NOTHING_LEFT
    }

    @Override
    public String toString() {
        return rule + ": " + text;
    }
}
