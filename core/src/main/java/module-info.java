/** This module has distributed locks that tell the truth; start at {@link dev.leasehold.Leasehold}. */
@SuppressWarnings("module") // The modules that see the internal room are compiled after this one.
module dev.leasehold {
    requires static jdk.jfr;
    requires static transitive org.jspecify;

    exports dev.leasehold;
    exports dev.leasehold.doctor;
    exports dev.leasehold.inspect;
    exports dev.leasehold.observe;
    exports dev.leasehold.spi;
    exports dev.leasehold.internal to
            dev.leasehold.cli,
            dev.leasehold.jdbc,
            dev.leasehold.redis,
            dev.leasehold.test,
            dev.leasehold.testkit,
            dev.leasehold.zookeeper;

    uses dev.leasehold.spi.StoreProvider;

    provides dev.leasehold.spi.StoreProvider with
            dev.leasehold.memory.MemoryStoreProvider;
}
