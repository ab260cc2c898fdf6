package dev.leasehold.test;

import static dev.leasehold.architecture.Waits.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseLostException;
import dev.leasehold.Leasehold;
import dev.leasehold.architecture.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** These tests are about what an operator reads in the log of the engine. */
class LogTest {

    private final LogLines log = new LogLines("dev.leasehold", Level.FINE);

    private final TestLeasehold locks = TestLeasehold.create();
    private final Leasehold leasehold = locks.leasehold();

    @AfterEach
    void close() {
        log.close();
        locks.close();
    }

    private void logged(String expression) {
        await().untilAsserted(() -> assertThat(log.lines).anyMatch(line -> line.matches(expression)));
    }

    @Test
    void aBreakIsLoggedWithWhoDidItAndTheLossItMade() throws Exception {
        Lease lease = leasehold.lock("a").acquire();
        Leasehold operator = locks.anotherClient();
        assertThat(operator.breakLock("a", lease.token())).isTrue();
        logged("INFO this client, .*pid=\\d+.*, has broken the lock 'a' with token " + lease.token());
        locks.advance(Duration.ofSeconds(10));
        logged("WARNING the lock 'a' with token " + lease.token()
                + " was lost: the store .* has it no more, although it had not run out: somebody has broken it, or.*");
        assertThat(catchThrowableOfType(LeaseLostException.class, lease::ensureValid)
                        .reason())
                .contains("somebody has broken it");
    }

    /** It says why as soon as it happens; that nobody had looked before the lease was closed is no second loss. */
    @Test
    void aLossThatNobodyNoticesIsLoggedOnce() throws Exception {
        Lease lease = leasehold.lock("a").acquire();
        locks.lose("a");
        lease.close();
        logged("WARNING the lock 'a' with token .* was lost: .*");
        assertThat(log.lines).filteredOn(line -> line.contains(" was lost")).hasSize(1);
    }

    /** It went to standard error. */
    @Test
    void whatAListenerThrowsIsLogged() throws Exception {
        Lease lease = leasehold.lock("a").acquire();
        lease.addListener((which, state) -> {
            throw new IllegalStateException("a listener's");
        });
        locks.lose("a");
        logged("WARNING a callback of a Leasehold client has failed");
    }

    @Test
    void aLossToASilentStoreIsLoggedWithItsCause() throws Exception {
        Lease lease = leasehold.lock("a").acquire();
        locks.storeDown();
        locks.advance(Duration.ofSeconds(40));
        logged("WARNING the lock 'a' with token " + lease.token()
                + " was lost: the store .* has not confirmed it before its lease ran out; the last failure: .*");
        LeaseLostException lost = catchThrowableOfType(LeaseLostException.class, lease::ensureValid);
        assertThat(lost.reason()).contains("has not confirmed it before its lease ran out");
        assertThat(lost).cause().isNotNull();
    }

    @Test
    void aLossNamesTheLockAsItsLeaseDoes() throws Exception {
        Lease lease = leasehold.prefixed("tenant").lock("a").acquire();
        locks.lose("tenant:a");
        assertThat(catchThrowableOfType(LeaseLostException.class, lease::ensureValid)
                        .lock())
                .isEqualTo(lease.name())
                .isEqualTo("a");
        assertThat(catchThrowableOfType(LeaseLostException.class, () -> lease.extend(Duration.ofMinutes(1)))
                        .lock())
                .isEqualTo("a");
        assertThat(lease.ended() == lease.ended())
                .as("nothing is left by each call")
                .isTrue();
    }

    @Test
    void anOutageDoesNotFillTheLogWithLosses() throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            leases.add(leasehold.lock("a" + i).acquire());
        }
        locks.storeDown();
        locks.advance(Duration.ofSeconds(40));
        await().until(() -> leases.stream().noneMatch(Lease::isValid));
        logged("WARNING .*further losses of the next minute are logged at DEBUG");
        assertThat(log.lines.stream().filter(line -> line.startsWith("WARNING") && line.contains(" was lost: ")))
                .hasSize(10);
        assertThat(log.lines.stream().filter(line -> line.startsWith("FINE") && line.contains(" was lost: ")))
                .hasSize(20);
    }

    @Test
    void aWaitWithoutLimitIsToldAfterTenSecondsAndRarely() throws Exception {
        try (HeldElsewhere other = locks.holdElsewhere("a")) {
            CompletableFuture<Lease> waiting = leasehold.lock("a").acquireAsync();
            locks.awaitWaiters("a", 1);
            for (int minute = 0; minute < 360; minute++) {
                locks.advance(Duration.ofSeconds(10));
            }
            assertThat(log.lines.stream().filter(line -> line.startsWith("INFO the lock 'a' ")))
                    .hasSizeBetween(3, 6)
                    .first()
                    .asString()
                    .matches(
                            "INFO the lock 'a' has been waited for here for 1\\d(\\.\\d+)? s by 1 caller without limit:"
                                    + " it is held by elsewhere .* with token \\d+ since .*");
            waiting.cancel(false);
        }
    }

    @Test
    void aWaitForACallerOfTheSameClientIsToldToo() throws Exception {
        try (Lease own = leasehold.lock("a").acquire()) {
            CompletableFuture<Lease> waiting = leasehold.lock("a").acquireAsync();
            locks.advance(Duration.ofSeconds(11));
            logged("INFO the lock 'a' has been waited for here .*: it is held by this client itself with token "
                    + own.token());
            waiting.cancel(false);
        }
    }

    @Test
    void candidatesAndLimitedWaitsAreNotToldAtInfo() throws Exception {
        try (HeldElsewhere other = locks.holdElsewhere("a");
                LeaderElection candidate = leasehold.election("a")) {
            candidate.start();
            CompletableFuture<?> limited = leasehold.lock("a").tryAcquireAsync(Duration.ofMinutes(30));
            for (int minute = 0; minute < 10; minute++) {
                locks.advance(Duration.ofMinutes(1));
            }
            assertThat(log.lines).noneMatch(line -> line.startsWith("INFO"));
            limited.cancel(false);
        }
    }

    @Test
    void waitsAndRefusalsAreLoggedAtDebug() throws Exception {
        HeldElsewhere other = locks.holdElsewhere("a");
        assertThat(leasehold.lock("a").tryAcquire()).isEmpty();
        logged("FINE the lock 'a' was busy: it is held by elsewhere .*");
        CompletableFuture<Lease> waiting = leasehold.lock("a").acquireAsync();
        locks.awaitWaiters("a", 1);
        locks.advance(Duration.ofSeconds(3));
        other.release();
        locks.whileTimePasses(() -> waiting.join().close());
        logged("FINE the lock 'a' was waited for for 3(\\.\\d+)? s: it was held by elsewhere .*");
        leasehold.lock("b").acquire().close();
        assertThat(log.lines).noneMatch(line -> line.contains("'b'"));
    }

    @Test
    void electionsAreLoggedWithWhyATermHasEnded() throws Exception {
        LeaderElection candidate = leasehold.election("a");
        candidate.start();
        locks.whileTimePasses(() -> candidate.awaitLeadership(Duration.ofMinutes(1)));
        logged("INFO this process leads 'a', with token \\d+");
        assertThat(candidate.resign()).isTrue();
        logged("INFO this process leads 'a' no longer \\(token \\d+\\): it has resigned");
        locks.whileTimePasses(() -> candidate.awaitLeadership(Duration.ofMinutes(1)));
        log.lines.clear();
        locks.storeDown();
        locks.advance(Duration.ofMinutes(1));
        logged("INFO this process leads 'a' no longer \\(token \\d+\\): the store has not confirmed its lease in time");
        locks.storeUp();
        locks.whileTimePasses(() -> candidate.awaitLeadership(Duration.ofMinutes(1)));
        candidate.close();
        logged("INFO this process leads 'a' no longer \\(token \\d+\\): the candidate was closed");
    }
}
