/** This module has tests for authors of stores: the contract suite that every store has to pass, and its parts. */
module dev.leasehold.testkit {
    requires transitive dev.leasehold;
    requires transitive org.junit.jupiter.api;
    requires dev.leasehold.test;
    requires org.assertj.core;
    requires static org.jspecify;

    exports dev.leasehold.testkit;

    uses dev.leasehold.spi.StoreProvider;
}
