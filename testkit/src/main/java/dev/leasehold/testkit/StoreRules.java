package dev.leasehold.testkit;

/** The rules of the store suite: each group of tests gets a fixture. */
interface StoreRules {

    StoreFixture fixture();
}
