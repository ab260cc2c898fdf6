package dev.leasehold.testkit;

/** Leasehold rules are those of the client suite: each group of tests gets a fixture. */
interface LeaseholdRules {

    ClientFixture fixture();
}
