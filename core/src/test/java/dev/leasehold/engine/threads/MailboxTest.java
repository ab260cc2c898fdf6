package dev.leasehold.engine.threads;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class MailboxTest {

    private static final int THREADS = 8;
    private static final int EACH = 20_000;

    @Test
    @DisplayName("Nothing is lost and one is handled at a time in the order of its sender")
    void nothingIsLostAndOneIsHandledAtATime() throws InterruptedException {
        int[] last = new int[THREADS];
        AtomicInteger atWork = new AtomicInteger();
        AtomicBoolean together = new AtomicBoolean();
        AtomicBoolean disorder = new AtomicBoolean();
        AtomicInteger handled = new AtomicInteger();
        Mailbox<int[]> mailbox = mailbox(
                event -> {
                    together.compareAndSet(false, atWork.incrementAndGet() > 1);
                    disorder.compareAndSet(false, event[1] != ++last[event[0]]);
                    handled.incrementAndGet();
                    atWork.decrementAndGet();
                },
                () -> false,
                () -> {});
        run(number -> {
            for (int i = 1; i <= EACH; i++) {
                assertThat(mailbox.post(new int[] {number, i})).isTrue();
            }
        });
        await(handled, THREADS * EACH);
        assertThat(together).isFalse();
        assertThat(disorder).isFalse();
    }

    @Test
    void anEventThatAnEventBringsIsHandledAfterIt() {
        List<String> log = new ArrayList<>();
        AtomicReference<Mailbox<String>> box = new AtomicReference<>();
        box.set(mailbox(
                event -> {
                    log.add("begin " + event);
                    if (event.equals("a")) {
                        box.get().post("b");
                    }
                    log.add("end " + event);
                },
                () -> false,
                () -> {}));
        box.get().post("a");
        assertThat(log).containsExactly("begin a", "end a", "begin b", "end b");
    }

    @Test
    void anIdleMailboxClosesOnceAndRefusesWhatComesLater() {
        AtomicInteger closed = new AtomicInteger();
        List<String> log = new ArrayList<>();
        Mailbox<String> mailbox = mailbox(log::add, () -> log.size() == 2, closed::incrementAndGet);
        assertThat(mailbox.post("a")).isTrue();
        assertThat(closed).hasValue(0);
        assertThat(mailbox.post("b")).isTrue();
        assertThat(closed).hasValue(1);
        assertThat(mailbox.post("c")).isFalse();
        assertThat(log).containsExactly("a", "b");
    }

    @Test
    @DisplayName("A consumer that throws clears up with the events that were left, and the mailbox is closed")
    void aConsumerThatThrowsClearsUpAndTheMailboxCloses() {
        List<String> log = new ArrayList<>();
        List<String> left = new ArrayList<>();
        AtomicReference<Mailbox<String>> box = new AtomicReference<>();
        box.set(mailbox(
                event -> {
                    log.add(event);
                    box.get().post("behind");
                    throw new StackOverflowError("simulated");
                },
                () -> false,
                () -> {},
                left::addAll));
        assertThat(box.get().post("bad")).isTrue();
        assertThat(log).containsExactly("bad");
        assertThat(left).containsExactly("behind");
        assertThat(box.get().post("next")).isFalse();
        assertThat(left).containsExactly("behind");
    }

    @Test
    void whereClearingUpFailsItIsDoneElsewhere() throws InterruptedException {
        AtomicInteger tries = new AtomicInteger();
        CountDownLatch cleared = new CountDownLatch(1);
        Mailbox<String> box = mailbox(
                event -> {
                    throw new OutOfMemoryError("simulated");
                },
                () -> false,
                () -> {},
                left -> {
                    if (tries.incrementAndGet() == 1) {
                        throw new StackOverflowError("simulated");
                    }
                    cleared.countDown();
                });
        box.post("bad");
        assertThat(cleared.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(tries).hasValue(2);
        assertThat(box.post("next")).isFalse();
    }

    @Test
    void whoComesNextClearsUpWhereNobodyElseCould() {
        AtomicInteger tries = new AtomicInteger();
        Mailbox<String> box = new Mailbox<>(
                new Handling<>(
                        event -> {
                            throw new OutOfMemoryError("simulated");
                        },
                        () -> false,
                        () -> {},
                        left -> {
                            if (tries.incrementAndGet() == 1) {
                                throw new OutOfMemoryError("simulated");
                            }
                        }),
                work -> {
                    throw new OutOfMemoryError("simulated: no thread");
                });
        assertThatThrownBy(() -> box.post("bad")).hasMessageContaining("no thread");
        assertThat(tries).hasValue(1);
        assertThat(box.post("next")).isFalse();
        assertThat(tries).hasValue(2);
    }

    /**
     * Mailboxes close here when they are empty, and a thread that is refused makes a new one: each event is handled
     * exactly once. Between two rounds everybody has returned, so each round retires one mailbox at least, however the
     * threads are scheduled.
     */
    @Test
    @DisplayName("A sender that is refused finds a new mailbox, and nothing is lost on the way")
    void aRefusedSenderFindsANewMailbox() throws InterruptedException {
        int rounds = 1_000;
        int inARound = EACH / rounds;
        assertThat(inARound * THREADS).isLessThan(Mailbox.MOST_IN_A_ROW);
        AtomicInteger handled = new AtomicInteger();
        AtomicInteger retired = new AtomicInteger();
        AtomicBoolean twice = new AtomicBoolean();
        AtomicReference<Mailbox<Integer>> current = new AtomicReference<>();
        CyclicBarrier betweenRounds = new CyclicBarrier(THREADS);
        run(number -> {
            for (int i = 0; i < rounds * inARound; i++) {
                if (i % inARound == 0) {
                    betweenRounds.await(A_MINUTE, TimeUnit.SECONDS);
                }
                while (true) {
                    Mailbox<Integer> box = current.get();
                    if (box == null) {
                        AtomicBoolean closed = new AtomicBoolean();
                        box = mailbox(event -> handled.incrementAndGet(), () -> true, () -> {
                            retired.incrementAndGet();
                            twice.compareAndSet(false, !closed.compareAndSet(false, true));
                        });
                        current.compareAndSet(null, box);
                        box = current.get();
                    }
                    if (box != null && box.post(i)) {
                        break;
                    }
                    current.compareAndSet(box, null);
                }
            }
        });
        assertThat(handled).hasValue(THREADS * rounds * inARound);
        assertThat(twice).as("a mailbox that had closed took an event").isFalse();
        assertThat(retired).hasValueGreaterThanOrEqualTo(rounds);
    }

    @Test
    void nobodyIsKeptAtWorkForOthersForAsLongAsTheyPost() throws InterruptedException {
        List<Thread> workers = new CopyOnWriteArrayList<>();
        AtomicInteger left = new AtomicInteger(3 * Mailbox.MOST_IN_A_ROW);
        CountDownLatch done = new CountDownLatch(1);
        AtomicReference<Mailbox<String>> box = new AtomicReference<>();
        box.set(mailbox(
                event -> {
                    Thread worker = Thread.currentThread();
                    if (workers.isEmpty() || workers.get(workers.size() - 1) != worker) {
                        workers.add(worker);
                    }
                    // Somebody always posts another before this one is handled.
                    if (left.decrementAndGet() > 0) {
                        box.get().post(event);
                    } else {
                        done.countDown();
                    }
                },
                () -> false,
                () -> {}));
        box.get().post("a");
        assertThat(done.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        assertThat(workers).hasSizeGreaterThanOrEqualTo(3).first().isEqualTo(Thread.currentThread());
    }

    /** Waits until all is handled, since a thread that is relieved goes before. */
    private static void await(AtomicInteger handled, int number) {
        long start = System.nanoTime();
        while (handled.get() < number) {
            assertThat(System.nanoTime() - start).as("waiting for the rest").isLessThan(TimeUnit.SECONDS.toNanos(60));
            Thread.onSpinWait();
        }
        assertThat(handled).hasValue(number);
    }

    private static void elsewhere(Runnable work) {
        Thread thread = new Thread(work, "relief");
        thread.setDaemon(true);
        thread.start();
    }

    private interface Work {
        void run(int number) throws Exception;
    }

    private static void run(Work work) throws InterruptedException {
        CountDownLatch ready = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int number = i;
            Thread thread = new Thread(() -> {
                try {
                    ready.await();
                    work.run(number);
                } catch (Throwable e) {
                    failure.set(e);
                }
            });
            thread.start();
            threads.add(thread);
        }
        ready.countDown();
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(60));
            assertThat(thread.isAlive()).isFalse();
        }
        assertThat(failure.get()).isNull();
    }

    private static <E> Mailbox<E> mailbox(Consumer<E> handle, BooleanSupplier idle, Runnable closed) {
        return mailbox(handle, idle, closed, left -> {
            throw new AssertionError("failed with " + left);
        });
    }

    private static <E> Mailbox<E> mailbox(
            Consumer<E> handle, BooleanSupplier idle, Runnable closed, Consumer<Queue<E>> failed) {
        return new Mailbox<>(new Handling<>(handle, idle, closed, failed), MailboxTest::elsewhere);
    }

    private record Handling<E>(
            Consumer<E> handler, BooleanSupplier idle, Runnable whenClosed, Consumer<Queue<E>> whenFailed)
            implements Mailbox.Consumer<E> {

        @Override
        public void handle(E event) {
            handler.accept(event);
        }

        @Override
        public boolean isIdle() {
            return idle.getAsBoolean();
        }

        @Override
        public void closed() {
            whenClosed.run();
        }

        @Override
        public void failed(Queue<E> left) {
            whenFailed.accept(left);
        }
    }
}
