/** This module has tests for authors of stores: four contract suites that every store has to pass, and a history checker. */
module dev.leasehold.testkit {
    requires transitive dev.leasehold;
    requires transitive org.junit.jupiter.api;
    requires dev.leasehold.test;
    requires org.assertj.core;
    requires static org.jspecify;

    exports dev.leasehold.testkit;

    uses dev.leasehold.spi.StoreProvider;
}
