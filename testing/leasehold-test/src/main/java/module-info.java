/**
 * This module supports tests of code that uses locks: locks in memory, a clock that the test sets, locks held elsewhere
 * or lost.
 */
module dev.leasehold.test {
    requires transitive dev.leasehold;
    requires static org.jspecify;

    exports dev.leasehold.test;

    uses dev.leasehold.spi.StoreProvider;
}
