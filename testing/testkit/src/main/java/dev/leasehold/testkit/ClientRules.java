package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.DistributedLock;
import dev.leasehold.ElectionListener;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseSet;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.ReentrantDistributedLock;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.observe.LockCall;
import dev.leasehold.observe.LockGrant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Client rules concern the life of a client: its callbacks, its threads, its end. */
interface ClientRules extends LeaseholdRules {

    @Test
    @DisplayName("A lock that is held when its client is closed stays taken until its lease has run out")
    default void closingLeavesHeldLeasesToRunOut() throws Exception {
        StoreClient elsewhere = fixture().probe();
        Leasehold client = fixture().client();
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            leases.add(client.lock(fixture().lock()).acquire());
        }
        client.close(Duration.ZERO);
        for (Lease lease : leases) {
            assertThat(lease.isValid()).isFalse();
            assertThat(elsewhere.shows(lease.name())).isTrue();
            assertThat(elsewhere.finds(lease.name())).isFalse();
            assertThat(ClientFixture.get(lease.ended().toCompletableFuture())).isEqualTo(LeaseState.LOST);
            assertThatCode(lease::close).doesNotThrowAnyException();
        }
        for (Lease lease : leases) {
            ClientFixture.eventually("the lease has run out", () -> elsewhere.finds(lease.name()));
        }
    }

    @Test
    default void whatIsGivenBackWhileItsClientClosesIsFreeAtOnce() throws Exception {
        StoreClient elsewhere = fixture().probe();
        Leasehold client = fixture().client();
        Lease lease = client.lock(fixture().lock()).acquire();
        Lease other = client.lock(fixture().lock()).acquire();
        CompletableFuture<?> closing = client.closeAsync(Duration.ofMinutes(1));
        assertThat(lease.isValid()).isTrue();
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(elsewhere.finds(lease.name())).isTrue();
        assertThat(closing).isNotDone();
        assertThat(other.release()).isEqualTo(LeaseState.RELEASED);
        ClientFixture.get(closing);
        assertThat(elsewhere.finds(other.name())).isTrue();
    }

    @Test
    default void closingEndsAllWaitsAndLeavesNothing() throws Exception {
        String name = fixture().lock();
        StoreClient elsewhere = fixture().probe();
        elsewhere.acquire(name);
        Leasehold client = fixture().client();
        CompletableFuture<Lease> async = client.lock(name).acquireAsync();
        CompletableFuture<Lease> sync = fixture().inThread(client.lock(name)::acquire);
        ClientFixture.eventually("they wait", () -> elsewhere.waiters(name).size() == 1);
        client.close();
        assertThatThrownBy(() -> ClientFixture.get(async))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ClientFixture.get(sync))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        ClientFixture.eventually("nobody waits", () -> elsewhere.waiters(name).isEmpty());
    }

    @Test
    default void aClosedClientSaysSo() {
        Leasehold client = fixture().client();
        DistributedLock lock = client.lock(fixture().lock());
        ReentrantDistributedLock threadLock = client.reentrantLock(fixture().lock());
        client.close();
        client.close();
        assertThatThrownBy(() -> client.lock("x")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.reentrantLock("x")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.locks("*")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> client.breakLock("x", 1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::acquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(lock::tryAcquire).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(threadLock::lock).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> ClientFixture.get(lock.acquireAsync()))
                .hasCauseInstanceOf(IllegalStateException.class);
    }

    @Test
    @DisplayName("Closing ends soon, whatever is under way at a silent store, and though the executor is gone")
    default void closingDoesNotWaitForASilentStore() throws Exception {
        Leasehold client = fixture()
                .client(builder -> builder.storeTimeout(ClientFixture.NEVER).executor(task -> {
                    throw new RejectedExecutionException("gone");
                }));
        Lease held = client.lock(fixture().lock(), ClientFixture.LASTING).acquire();
        Lease over = client.lock(fixture().lock(), ClientFixture.BRIEF).acquire();
        Lease givenBack = client.lock(fixture().lock(), ClientFixture.LASTING).acquire();
        LeaderElection leads = client.election(fixture().lock());
        leads.start();
        assertThat(leads.awaitLeadership(ClientFixture.LONGEST_WAIT)).isPresent();
        CompletableFuture<LeaseSet> hasAPart =
                client.lockAll(fixture().lock(), held.name()).acquireAsync();
        fixture().store.plan(FaultPlan.always(Fault.LOSE_REQUEST));
        LeaderElection candidate = client.election(fixture().lock());
        candidate.start();
        CompletableFuture<LeaseSet> hasNothing =
                client.lockAll(fixture().lock(), fixture().lock()).acquireAsync();
        CompletableFuture<LeaseState> released = givenBack.releaseAsync();
        CompletableFuture<Lease> waits = client.lock(fixture().lock()).acquireAsync();
        ClientFixture.eventually("it runs out", () -> over.state() == LeaseState.LOST);
        ClientFixture.get(fixture().inThread(() -> {
            client.close();
            return true;
        }));
        assertThat(held.isValid()).isFalse();
        assertThat(leads.isLeader() || candidate.isLeader()).isFalse();
        assertThat(released).isNotDone();
        for (CompletableFuture<?> waiting : List.of(waits, hasAPart, hasNothing)) {
            assertThatThrownBy(() -> ClientFixture.get(waiting)).hasCauseInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    default void itsThreadsAreDaemonsWithItsNameAndGoneAfterItsEnd() throws Exception {
        ThreadGroup own = new ThreadGroup("own"); // Other tests' clients run beside this one.
        FutureTask<Leasehold> use = new FutureTask<>(() -> {
            Leasehold used = fixture().client();
            Lease lease = used.lock(fixture().lock()).acquire();
            CompletableFuture<LeaseState> told = new CompletableFuture<>();
            lease.addListener((which, state) -> told.complete(state));
            lease.close();
            ClientFixture.get(told);
            return used;
        });
        new Thread(own, use).start();
        Leasehold client = use.get(ClientFixture.LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS);
        Set<Thread> during = threads();
        during.removeIf(thread -> thread.getThreadGroup() != own);
        assertThat(during).isNotEmpty().allMatch(Thread::isDaemon);
        client.close();
        ClientFixture.eventually("its threads are gone", () -> during.stream().noneMatch(Thread::isAlive));
    }

    @Test
    default void itsThreadsInheritNothingFromTheFirstCaller() throws Exception {
        Queue<Throwable> inherited = new ConcurrentLinkedQueue<>();
        InheritableThreadLocal<String> tenant = new InheritableThreadLocal<>() {
            @Override
            protected String childValue(String parents) {
                inherited.add(new Throwable("a thread is made for " + parents));
                return parents;
            }
        };
        String name = fixture().lock();
        Thread first = new Thread(() -> {
            tenant.set("the first caller");
            try {
                Leasehold client = fixture().client();
                CompletableFuture<LeaseState> told = new CompletableFuture<>();
                Lease lease = client.lock(name).acquire();
                lease.addListener((which, state) -> told.complete(state));
                CompletableFuture<Lease> next = client.lock(name).acquireAsync();
                client.lock(name + "2").acquireAsync().thenAccept(Lease::close);
                client.locks("*");
                lease.close();
                ClientFixture.get(told);
                ClientFixture.get(next).close();
                client.close();
            } catch (Exception e) {
                inherited.add(e);
            }
        });
        first.start();
        first.join();
        assertThat(inherited).isEmpty();
    }

    /** Takes a lock, a set and an office, and waits for each. */
    private static long useLocks(Leasehold client, String name) {
        try (LeaderElection election = client.election(name + "5");
                Lease again = client.lock(name).acquire();
                Lease other = client.lock(name + "2").acquire();
                LeaseSet set = client.lockAll(name + "3", name + "4").acquire()) {
            client.locks("*");
            election.start();
            Lease office = election.awaitLeadership(ClientFixture.LONGEST_WAIT).orElseThrow();
            return Math.min(Math.min(again.token(), other.token()), Math.min(set.token(name + "3"), office.token()));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    default void aListenerMayUseLocks() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        Lease lease = client.lock(name).acquire();
        CompletableFuture<Long> inListener = new CompletableFuture<>();
        lease.addListener((which, state) -> {
            if (state.isFinal()) {
                inListener.completeAsync(() -> useLocks(client, name), Runnable::run);
            }
        });
        lease.close();
        assertThat(ClientFixture.get(inListener)).isPositive();
    }

    @Test
    default void anElectionListenerMayUseLocks() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        CompletableFuture<String> started =
                new CompletableFuture<String>().orTimeout(ClientFixture.LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS);
        CompletableFuture<Long> inElected = new CompletableFuture<>();
        CompletableFuture<Long> inDemoted = new CompletableFuture<>();
        try (LeaderElection election = client.election(fixture().lock())) {
            election.addListener(new ElectionListener() {
                @Override
                public void elected(Lease lease) {
                    started.join(); // Not on the caller's thread.
                    inElected.completeAsync(() -> useLocks(client, name), Runnable::run);
                }

                @Override
                public void demoted(Lease lease) {
                    inDemoted.completeAsync(() -> useLocks(client, name), Runnable::run);
                }
            });
            election.start();
            started.complete("started");
            assertThat(ClientFixture.get(inElected)).isPositive();
            election.resign();
            assertThat(ClientFixture.get(inDemoted)).isPositive();
        }
    }

    @Test
    default void anObserverAndAnExecutorMayUseLocks() throws Exception {
        CompletableFuture<Leasehold> client = new CompletableFuture<>();
        CompletableFuture<Long> inObserver = new CompletableFuture<>();
        CompletableFuture<Long> inExecutor = new CompletableFuture<>();
        AtomicBoolean observed = new AtomicBoolean();
        AtomicBoolean executed = new AtomicBoolean();
        LeaseholdObserver observer = new LeaseholdObserver() {
            @Override
            public void acquired(LockCall call, LockGrant grant) {
                if (observed.compareAndSet(false, true)) {
                    inObserver.completeAsync(
                            () -> useLocks(client.join(), fixture().lock()), Runnable::run);
                }
            }
        };
        client.complete(fixture()
                .client(builder -> builder.observer(observer).executor(task -> {
                    if (executed.compareAndSet(false, true)) {
                        inExecutor.completeAsync(
                                () -> useLocks(client.join(), fixture().lock()), Runnable::run);
                    }
                    task.run();
                })));
        ClientFixture.get(client.join().lock(fixture().lock()).acquireAsync()).close();
        assertThat(ClientFixture.get(inObserver)).isPositive();
        assertThat(ClientFixture.get(inExecutor)).isPositive();
    }

    @Test
    default void aContinuationMayUseLocks() throws Exception {
        String name = fixture().lock();
        Leasehold client = fixture().client();
        CompletableFuture<Long> done = client.lock(name).acquireAsync().thenApply(lease -> {
            try (lease;
                    Lease other = client.lock(name + "2").acquire()) {
                return other.token();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        assertThat(ClientFixture.get(done)).isPositive();
    }

    @Test
    default void whatListenersThrowHurtsNobody() throws Exception {
        Lease lease = fixture().client().lock(fixture().lock()).acquire();
        CompletableFuture<LeaseState> told = new CompletableFuture<>();
        lease.addListener((which, state) -> {
            throw new IllegalStateException("planted");
        });
        lease.addListener((which, state) -> told.complete(state));
        assertThat(lease.release()).isEqualTo(LeaseState.RELEASED);
        assertThat(ClientFixture.get(told)).isEqualTo(LeaseState.RELEASED);
    }

    @Test
    default void theEngineDoesNotDependOnTheUsersExecutor() throws Exception {
        CountDownLatch open = new CountDownLatch(1);
        Leasehold client = fixture().client(builder -> builder.executor(task -> {}));
        String name = fixture().lock();
        Lease lease = client.lock(name).acquire();
        lease.addListener((which, state) -> open.countDown());
        CompletableFuture<Lease> sync = fixture().inThread(client.lock(name)::acquire);
        AtomicInteger renewals = fixture().renewals();
        ClientFixture.eventually("it is renewed", () -> renewals.get() > 1);
        assertThat(lease.isValid()).isTrue();
        lease.close();
        Lease next = ClientFixture.get(sync);
        fixture().probe().breakLease(name, next.token());
        ClientFixture.eventually("the loss is seen", () -> !next.isValid());
        assertThat(open.getCount()).isEqualTo(1);
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("leasehold-"))
                .collect(Collectors.toSet());
    }
}
