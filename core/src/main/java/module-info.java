/** Distributed locks that tell the truth; start at {@link dev.leasehold.Leasehold}. */
@SuppressWarnings("module") // The modules that see the engine are compiled after this one.
module dev.leasehold {
    requires static transitive org.jspecify;

    exports dev.leasehold;
    exports dev.leasehold.spi;
    exports dev.leasehold.engine to
            dev.leasehold.test,
            dev.leasehold.testkit;

    uses dev.leasehold.spi.StoreProvider;

    provides dev.leasehold.spi.StoreProvider with
            dev.leasehold.memory.MemoryStoreProvider;
}
