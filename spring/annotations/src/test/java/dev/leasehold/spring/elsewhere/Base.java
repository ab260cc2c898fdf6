package dev.leasehold.spring.elsewhere;

import dev.leasehold.spring.CurrentLease;
import dev.leasehold.spring.LeaderOnly;
import dev.leasehold.spring.Locked;

/** Base classes of beans that live in another package. */
public final class Base {

    private Base() {}

    /** A proxy in the package of the bean's class has a method of its own in place of this one. */
    public abstract static class PackagePrivate {
        @Locked("a")
        String method() {
            return "ran";
        }

        public String call() {
            return method();
        }
    }

    public abstract static class LeadersPackagePrivate {
        @LeaderOnly
        void method() {}
    }

    public abstract static class Protected {
        @Locked("a")
        protected String method() {
            return CurrentLease.get().name();
        }

        /** Calls the proxy's method, as others of this package do. */
        public static String call(Protected bean) {
            return bean.method();
        }
    }
}
