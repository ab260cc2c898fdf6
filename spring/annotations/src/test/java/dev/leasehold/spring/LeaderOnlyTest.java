package dev.leasehold.spring;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

/** Methods of the leader run where it leads. Two contexts of one JVM stand for two instances. */
class LeaderOnlyTest {

    static class Mailer {

        final List<Object> events = new CopyOnWriteArrayList<>();
        final CountDownLatch begun = new CountDownLatch(1);
        final CountDownLatch end = new CountDownLatch(1);

        @LeaderOnly("mailer")
        Optional<Long> term(@Nullable Lease lease) {
            return Optional.of(lease.token());
        }

        @LeaderOnly(value = "mailer", onFollower = OnBusy.THROW)
        void strict() {}

        @LeaderOnly("mailer")
        void work() throws InterruptedException {
            begun.countDown();
            while (end.getCount() > 0) {
                try {
                    end.await();
                } catch (InterruptedException e) {
                    events.add("interrupted");
                }
            }
        }

        @EventListener
        void on(ElectedEvent event) {
            events.add(event);
        }

        @EventListener
        void on(DemotedEvent event) {
            events.add(event);
        }
    }

    private final Leasehold first = Leasehold.connect("memory:elections");
    private final Leasehold second = Leasehold.connect("memory:elections");

    private static AnnotationConfigApplicationContext instance(Leasehold client) {
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.registerBean(Leasehold.class, () -> client);
        context.register(Enabled.class, Mailer.class);
        context.refresh();
        return context;
    }

    @EnableLeasehold
    static class Enabled {}

    /** From JDK 25 on the common pool has one thread on two cores, which the work would keep. */
    private static void onItsOwnThread(Runnable task) {
        new Thread(task).start();
    }

    @Test
    void onlyTheLeaderRunsAndHandsOverAtItsEnd() throws Exception {
        AnnotationConfigApplicationContext a = instance(first);
        Mailer leader = a.getBean(Mailer.class);
        await().until(() -> leader.term(null).isPresent());
        AnnotationConfigApplicationContext b = instance(second);
        Mailer follower = b.getBean(Mailer.class);
        assertThat(follower.term(null)).isEmpty();
        assertThatThrownBy(follower::strict).isInstanceOf(NotLeaderException.class);
        leader.strict();
        long term = leader.term(null).orElseThrow();

        CompletableFuture<Void> work = CompletableFuture.runAsync(
                () -> {
                    try {
                        leader.work();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                LeaderOnlyTest::onItsOwnThread);
        assertThat(leaderBean(a).begun.await(A_MINUTE, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Void> closing = CompletableFuture.runAsync(a::close, LeaderOnlyTest::onItsOwnThread);
        await().until(() -> leaderBean(a).events.contains("interrupted"));
        assertThat(follower.term(null)).as("while the old leader works").isEmpty();
        leaderBean(a).end.countDown();
        assertThatThrownBy(work::join).hasCauseInstanceOf(LeaseLostException.class);
        await().until(() -> follower.term(null).isPresent());
        assertThat(follower.term(null).orElseThrow()).isGreaterThan(term);
        closing.join();
        assertThat(leaderBean(b).events)
                .contains(new ElectedEvent("mailer", follower.term(null).orElseThrow()));
        b.close();
        first.close();
        second.close();
    }

    private final java.util.Map<Object, Mailer> targets = new java.util.concurrent.ConcurrentHashMap<>();

    /** The object behind the proxy, whose fields are the real ones. */
    private Mailer leaderBean(AnnotationConfigApplicationContext context) {
        return targets.computeIfAbsent(context, absent -> (Mailer)
                org.springframework.aop.framework.AopProxyUtils.getSingletonTarget(context.getBean(Mailer.class)));
    }
}
