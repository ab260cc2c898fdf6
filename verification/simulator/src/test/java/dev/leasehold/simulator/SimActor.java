package dev.leasehold.simulator;

import dev.leasehold.Lease;
import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.testtools.SimWorld;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** A simulated actor is one user of locks in one process, with the holds that it has had. */
abstract class SimActor {

    final SimWorld world;
    final SimScenario scenario;
    final SimFindings findings;
    final SimJudge judge;
    final SimProcess process;
    final Leasehold client;
    final String clientId;
    final String name;
    final SplittableRandom chance;
    final List<SimHold> held = new ArrayList<>();
    boolean closing;
    boolean gone;

    SimActor(SimMember member, SimFindings findings, SimJudge judge, String name, SplittableRandom chance) {
        this.world = member.world();
        this.scenario = member.scenario();
        this.findings = findings;
        this.judge = judge;
        this.process = member.process();
        this.client = member.client();
        this.clientId = member.clientId();
        this.name = name;
        this.chance = chance;
    }

    abstract void start();

    /** Returns whether nothing more is to come of it. */
    abstract boolean isIdle();

    void gone() {
        gone = true;
        held.clear();
    }

    void clientCloses() {
        closing = true;
    }

    void clientIsClosed() {
        for (SimHold hold : held) {
            if (hold.isValid()) {
                findings.add("TRUTH", hold + " is valid although its client is closed");
            }
        }
    }

    /** Checks what is left when all is over. */
    void checkEnd() {
        if (!gone) {
            held.forEach(SimHold::checkEnd);
        }
    }

    LockOptions options() {
        Duration most = Duration.ofNanos(scenario.lease);
        Duration lease = chance.nextBoolean()
                ? most
                : LockOptions.SHORTEST_LEASE.plusNanos(
                        chance.nextLong(most.minus(LockOptions.SHORTEST_LEASE).toNanos() + 1));
        return LockOptions.defaults()
                .withLeaseDuration(lease)
                .withAutoRenew(chance.nextInt(5) != 0)
                .withMaxHold(
                        chance.nextBoolean()
                                ? most.multipliedBy(3)
                                : most.multipliedBy(3).dividedBy(2))
                .withMinHold(
                        chance.nextInt(6) == 0 ? Duration.ofNanos(chance.nextLong(scenario.lease)) : Duration.ZERO);
    }

    /** Throws now and then, or takes a lock and gives it back: what users' code does where it should not. */
    void disturb() {
        int kind = chance.nextInt(20);
        if (kind == 0) {
            throw new IllegalStateException("simulated");
        } else if (kind == 1 && !closing) {
            client.lock("lock-" + chance.nextInt(scenario.locks), options())
                    .tryAcquireAsync(Duration.ZERO)
                    .thenAccept(lease -> lease.ifPresent(Lease::releaseAsync));
        }
    }

    void later(long delay, Runnable what) {
        world.after(delay, () -> process.run(() -> findings.guard(name, what)));
    }

    /** A blocking call is a piece of the API that waits. */
    @FunctionalInterface
    interface Blocking {
        void call() throws InterruptedException;
    }

    /** Calls on an interrupted thread, so that the request is sent and nobody waits for its answer. */
    void withoutWaiting(Blocking piece) {
        Thread.currentThread().interrupt();
        try {
            piece.call();
        } catch (InterruptedException | LockException | IllegalStateException e) {
            world.note(name, "has asked for it", e.getClass().getSimpleName());
        } finally {
            if (Thread.interrupted()) {
                world.note(name, "goes on");
            }
        }
    }
}
