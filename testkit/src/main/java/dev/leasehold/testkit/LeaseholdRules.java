package dev.leasehold.testkit;

/** What each group of the suite's tests is given. */
interface LeaseholdRules {

    ClientFixture fixture();
}
