package dev.leasehold.testkit;

/** The rules of the client suite: each group of tests gets a fixture. */
interface LeaseholdRules {

    ClientFixture fixture();
}
