/** Distributed locks that tell the truth; start at {@link dev.leasehold.Leasehold}. */
module dev.leasehold {
    requires static transitive org.jspecify;

    exports dev.leasehold;
    exports dev.leasehold.spi;

    uses dev.leasehold.spi.StoreProvider;

    provides dev.leasehold.spi.StoreProvider with
            dev.leasehold.memory.MemoryStoreProvider;
}
