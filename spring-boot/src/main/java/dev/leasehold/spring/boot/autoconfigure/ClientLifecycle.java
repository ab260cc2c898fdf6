package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.RunningBodies;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * Closes the clients when the application ends, after web requests and scheduled tasks have had their time. Bodies under
 * locks may go on for a while, with leases that are renewed; then they are interrupted, still under valid leases, so that the
 * next instance gets their locks as soon as they have ended. What goes on after that is not renewed.
 */
final class ClientLifecycle implements SmartLifecycle {

    /** After the phases of the web server, which are 1024 and 2048 below the default. */
    static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 4096;

    private final ObjectProvider<Leasehold> clients;
    private final RunningBodies bodies;
    private final LeaseholdProperties.Shutdown shutdown;
    private volatile boolean running;

    ClientLifecycle(ObjectProvider<Leasehold> clients, RunningBodies bodies, LeaseholdProperties.Shutdown shutdown) {
        this.clients = clients;
        this.bodies = bodies;
        this.shutdown = shutdown;
    }

    @Override
    public void start() {
        running = true;
    }

    @Override
    public void stop() {
        closing().join();
    }

    @Override
    public void stop(Runnable callback) {
        closing().whenComplete((closed, failure) -> callback.run());
    }

    private CompletableFuture<Void> closing() {
        running = false;
        CompletableFuture<?>[] closed = clients.stream()
                .map(client -> client.closeAsync(shutdown.waitTime().plus(shutdown.interruptWaitTime())))
                .toArray(CompletableFuture[]::new);
        CompletableFuture<Void> all = CompletableFuture.allOf(closed);
        Thread watch = new Thread(() -> interruptUnlessDone(all), "leasehold-shutdown");
        watch.setDaemon(true);
        watch.start();
        return all;
    }

    /** On a thread of its own: the bodies may keep all those of the common pool, which has one on two cores. */
    private void interruptUnlessDone(CompletableFuture<Void> all) {
        try {
            all.get(shutdown.waitTime().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            bodies.interrupt();
        } catch (ExecutionException | InterruptedException e) {
            // It has ended, or nobody waits for it.
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** A client that was closed cannot be opened again, so a context that is paused between tests keeps it. */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
