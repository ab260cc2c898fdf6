package dev.leasehold.testkit;

/** Store rules are those of the store suite: each group of tests gets a fixture. */
interface StoreRules {

    StoreFixture fixture();
}
