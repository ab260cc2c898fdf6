package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.testkit.FaultPlan.Message;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Fault rules say that with messages that are lost, late or come twice there are never two holders, and life goes on. */
interface FaultRules extends LeaseholdRules {

    /** What is enough to judge by. A busy machine loses some of so brief leases. */
    int HOLDS = 18;

    @Test
    @DisplayName("Exclusion and tokens hold and everybody is served when messages are lost, late and repeated")
    default void lostLateAndRepeatedMessagesBreakNoPromise() throws Exception {
        for (long seed = 1; seed <= 2; seed++) {
            fixture().store.plan(FaultPlan.random(seed, 15, Duration.ofMillis(30)));
            List<Leasehold> clients = List.of(
                    fixture().client(builder -> builder.options(ClientFixture.BRIEF)),
                    fixture().client(builder -> builder.options(ClientFixture.BRIEF)),
                    fixture()
                            .client(builder ->
                                    builder.options(ClientFixture.BRIEF).localHandOvers(2)));
            Contenders contenders = new Contenders(fixture(), fixture().lock());
            List<HoldRecord> history;
            do {
                history = contenders.run(clients, 2, 6);
                HistoryChecker.of(Duration.ofMillis(500)).check(history);
            } while (history.stream().filter(HoldRecord::isHold).count() <= HOLDS);
        }
    }

    @Test
    default void everySingleFaultOfAnyMessageIsSurvived() throws Exception {
        StoreClient elsewhere = fixture().probe();
        for (Message message : List.of(Message.CLAIM, Message.RELEASE, Message.SIGNAL)) {
            for (Fault fault : List.of(
                    Fault.LOSE_REQUEST,
                    Fault.LOSE_ANSWER,
                    Fault.DELAY_REQUEST,
                    Fault.DELAY_ANSWER,
                    Fault.REPEAT,
                    Fault.LATE,
                    Fault.UNREACHABLE)) {
                String name = fixture().lock();
                LeaseId theirs = elsewhere.acquire(name).lease();
                fixture().store.plan(FaultPlan.script(message, fault));
                // A claim that comes once more after its release is granted to nobody, and runs out with its lease; a
                // lost signal is found by asking, the sooner, the shorter the lease.
                boolean brief = message == Message.SIGNAL
                        || (message == Message.CLAIM && (fault == Fault.REPEAT || fault == Fault.LATE));
                CompletableFuture<Lease> waiting = fixture()
                        .client()
                        .lock(name, brief ? ClientFixture.BRIEF : ClientFixture.LASTING)
                        .acquireAsync();
                ClientFixture.eventually(
                        "it waits", () -> !elsewhere.waiters(name).isEmpty());
                elsewhere.release(theirs);
                try (Lease lease = ClientFixture.get(waiting)) {
                    assertThat(lease.token()).isGreaterThan(theirs.token());
                    if (!brief) {
                        lease.ensureValid();
                    }
                }
                ClientFixture.eventually(message + " " + fault + " leaves nothing", () -> !elsewhere.shows(name));
            }
        }
    }

    @Test
    default void aLateClaimOfACallerThatHasGivenUpBlocksNobody() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client(builder -> builder.storeTimeout(Duration.ofMillis(100)));
        fixture().store.plan(message -> message == Message.CLAIM ? Fault.LATE : Fault.NONE);
        CompletableFuture<Lease> failed =
                client.lock(name, ClientFixture.LASTING).acquireAsync();
        ClientFixture.eventually("it has ended", failed::isDone);
        if (!failed.isCompletedExceptionally()) {
            failed.join().close();
        }
        fixture().store.plan(FaultPlan.none());
        StoreClient elsewhere = fixture().probe();
        ClientFixture.pause(FaultPlan.none().delay().multipliedBy(2));
        ClientFixture.eventually("nothing is left", () -> !elsewhere.shows(name));
    }

    @Test
    default void aLateGrantSignalOfALockThatWasReleasedIsHarmless() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        LeaseId theirs = elsewhere.acquire(name).lease();
        fixture().store.plan(message -> message == Message.SIGNAL ? Fault.REPEAT : Fault.NONE);
        CompletableFuture<Lease> waiting = fixture().client().lock(name).acquireAsync();
        ClientFixture.eventually("it waits", () -> elsewhere.waiters(name).size() == 1);
        elsewhere.release(theirs);
        ClientFixture.get(waiting).release();
        LeaseId next = elsewhere.acquire(name).lease();
        ClientFixture.pause(FaultPlan.none().delay().multipliedBy(2));
        assertThat(elsewhere.has(next)).isTrue();
    }
}
