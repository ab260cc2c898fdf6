package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.DistributedLock;
import dev.leasehold.Lease;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Observer rules say that an observer sees how calls end. */
interface ObserverRules extends LeaseholdRules {

    @Test
    default void anObserverSeesWhatCallsComeTo() throws Exception {
        String name = fixture().lock();
        List<String> told = new CopyOnWriteArrayList<>();
        DistributedLock lock = fixture()
                .client(builder -> builder.observer(new ToldTokens(told)))
                .lock(name);
        Lease first = lock.acquire();
        assertThat(lock.tryAcquire()).isEmpty();
        first.close();
        assertThat(told)
                .containsExactly("asked", "acquired " + first.token(), "asked", "busy", "released " + first.token());
        Lease second = lock.acquire();
        fixture().probe().breakLease(name, second.token());
        ClientFixture.eventually("it is told", () -> told.contains("lost " + second.token()));
        second.close();
        assertThat(told).doesNotContain("released " + second.token());
    }

    /** Told tokens write down outcomes with their tokens, and leave out the details of the store. */
    record ToldTokens(List<String> told) implements LeaseholdObserver {

        @Override
        public LeaseholdObserver asked(LockCall call) {
            assertThat(call.client().storeKind()).isNotIn("", "other");
            told.add("asked");
            return this;
        }

        @Override
        public void acquired(LockCall call, LockGrant grant) {
            told.add("acquired " + grant.token());
        }

        @Override
        public void busy(LockCall call, Duration waited) {
            told.add("busy");
        }

        @Override
        public void released(LockCall call, LockGrant grant, Duration held) {
            told.add("released " + grant.token());
        }

        @Override
        public void lost(LockCall call, LockGrant grant, Duration held) {
            told.add("lost " + grant.token());
        }
    }
}
