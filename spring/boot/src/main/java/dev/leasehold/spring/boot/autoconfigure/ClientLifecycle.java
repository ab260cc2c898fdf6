package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.Leasehold;
import dev.leasehold.spring.internal.RunningBodies;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ExecutorConfigurationSupport;

/**
 * The client lifecycle closes this context's clients when the application ends, after web requests, scheduled tasks and
 * executors have had their time. Bodies under locks may go on for a while, with leases that are renewed, and may take
 * further locks; then they are interrupted, still under valid leases, so that the next instance gets their locks as
 * soon as they have ended. The lease of a body that goes on after that is not renewed.
 */
final class ClientLifecycle implements SmartLifecycle, DisposableBean {

    /**
     * The clients are closed after Spring's executors and schedulers, whose tasks may be queued or running; these come after
     * the web server.
     */
    static final int PHASE = ExecutorConfigurationSupport.DEFAULT_PHASE - 1024;

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    private final ConfigurableListableBeanFactory beans;
    private final RunningBodies bodies;
    private final LeaseholdProperties.Shutdown shutdown;
    private volatile boolean running;

    ClientLifecycle(
            ConfigurableListableBeanFactory beans,
            RunningBodies bodies,
            LeaseholdProperties.Shutdown shutdown,
            Duration phase) {
        this.beans = beans;
        this.bodies = bodies;
        this.shutdown = shutdown;
        LateLog.ONE.begin();
        Duration most = shutdown.waitTime().plus(shutdown.interruptWaitTime());
        if (most.compareTo(phase) >= 0) {
            LOG.log(
                    Level.WARNING,
                    "leasehold.shutdown.wait-time and interrupt-wait-time are {0} s together: Spring waits for"
                            + " spring.lifecycle.timeout-per-shutdown-phase, {1} s, and then ends what still has locks."
                            + " Make that longer, or these shorter",
                    most.toSeconds(),
                    phase.toSeconds());
        }
    }

    @Override
    public void destroy() {
        LateLog.ONE.end();
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

    /** Closes on a thread of its own: the bodies may keep all those of the common pool, which has one on two cores. */
    private CompletableFuture<Void> closing() {
        running = false;
        CompletableFuture<Void> closed = new CompletableFuture<>();
        Runnable task = () -> {
            try {
                endBodiesAndClose();
            } finally {
                closed.complete(null);
            }
        };
        Thread thread = new Thread(null, task, "leasehold-shutdown", 0, false);
        thread.setDaemon(true);
        thread.start();
        return closed;
    }

    private void endBodiesAndClose() {
        long end = System.nanoTime()
                + shutdown.waitTime().plus(shutdown.interruptWaitTime()).toNanos();
        try {
            if (!bodies.await(shutdown.waitTime())) {
                bodies.interrupt();
                bodies.await(shutdown.interruptWaitTime());
            }
            Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
            CompletableFuture<?>[] closed =
                    clients().stream().map(client -> client.closeAsync(left)).toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(closed).get();
        } catch (InterruptedException | ExecutionException e) {
            LOG.log(Level.WARNING, "the end of the clients was not waited for", e);
        }
    }

    /**
     * Returns the clients of this context that were made: not those of its parent, which others may use, nor those that
     * somebody else closes, as {@code destroyMethod = ""} says.
     */
    private List<Leasehold> clients() {
        List<Leasehold> found = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Leasehold.class, true, false)) {
            boolean closedByOthers = beans.containsBeanDefinition(name)
                    && "".equals(beans.getMergedBeanDefinition(name).getDestroyMethodName());
            if (beans.containsSingleton(name) && !closedByOthers) {
                found.add(beans.getBean(name, Leasehold.class));
            }
        }
        return found;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /**
     * Returns false: a client that was closed cannot be opened again, so a context that is paused between tests keeps
     * it.
     */
    @Override
    public boolean isPauseable() {
        return false;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
