package dev.leasehold.spring;

import dev.leasehold.Lease;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.springframework.context.ApplicationEventPublisher;

/**
 * The events of an office are published in their order, on a thread of their own: their listeners are users' code, which may
 * block. The thread ends when there is nothing to publish.
 */
final class OfficeEvents {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    private final String office;
    private final ApplicationEventPublisher publisher;
    private final ThreadPoolExecutor thread;

    OfficeEvents(String office, ApplicationEventPublisher publisher) {
        this.office = office;
        this.publisher = publisher;
        this.thread = new ThreadPoolExecutor(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread made = new Thread(null, task, "leasehold-events-" + office, 0, false);
            made.setDaemon(true);
            return made;
        });
        thread.allowCoreThreadTimeOut(true);
    }

    void elected(long term) {
        thread.execute(() -> publish(new ElectedEvent(office, term)));
    }

    /** Waits for the listeners while the lease is valid, so that nobody else is elected before they have returned. */
    void demoted(Lease lease) {
        Future<?> published = thread.submit(() -> publish(new DemotedEvent(office, lease.token())));
        while (lease.isValid() && !published.isDone()) {
            try {
                published.get(Math.max(1, lease.remaining().toMillis()), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                // The lease has run out, unless it was renewed.
            } catch (InterruptedException e) {
                return;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void publish(Object event) {
        try {
            publisher.publishEvent(event);
        } catch (RuntimeException e) {
            LOG.log(Level.WARNING, "a listener of " + event + " has failed", e);
        }
    }
}
