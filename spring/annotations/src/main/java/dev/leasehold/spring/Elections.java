package dev.leasehold.spring;

import dev.leasehold.LeaderElection;
import dev.leasehold.Leasehold;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Elections are those that this instance stands in: one for each office that was asked for, by {@link LeaderOnly} or
 * here. A candidate stands from {@link #start} on, and resigns at {@link #stop}, which comes first of all when the
 * application ends. Each election and demotion is published as {@link ElectedEvent} and {@link DemotedEvent}.
 * Thread-safe.
 */
public final class Elections implements SmartLifecycle {

    private final Supplier<Leasehold> client;
    private final ApplicationEventPublisher events;
    private final String defaultOffice;
    private final boolean startsWithContext;
    private final Set<String> names = ConcurrentHashMap.newKeySet();
    private final Map<String, Office> offices = new ConcurrentHashMap<>();
    private final ReentrantLock guard = new ReentrantLock();
    private volatile boolean running;

    /**
     * Makes the elections.
     *
     * @param client gives the client, when it is needed first
     * @param events where elections are published
     * @param defaultOffice the office of {@link LeaderOnly} without a name
     * @param startsWithContext whether candidates stand as soon as the application's context has been made; else somebody
     *     calls {@link #start}
     */
    public Elections(
            Supplier<Leasehold> client,
            ApplicationEventPublisher events,
            String defaultOffice,
            boolean startsWithContext) {
        this.client = client;
        this.events = events;
        this.defaultOffice = defaultOffice;
        this.startsWithContext = startsWithContext;
    }

    /**
     * Returns the candidate for an office. It stands for the office as long as the application runs; do not close it.
     *
     * @param office the office: a lock's name; empty for the default office
     * @return the candidate
     */
    public LeaderElection election(String office) {
        return office(office).election();
    }

    /**
     * Returns whether this instance leads now. Never blocks, and makes no candidate.
     *
     * @param office an office that this instance stands for; empty for the default office
     * @return true if so; false before the application has started and after it has begun to end
     * @throws IllegalArgumentException if this instance does not stand for the office: no {@link LeaderOnly} names it, and
     *     {@link #election} was not called for it
     */
    public boolean isLeader(String office) {
        String name = named(office);
        if (!names.contains(name)) {
            throw new IllegalArgumentException("this instance does not stand for the office '" + name
                    + "', so it will never lead there; it stands for " + offices()
                    + ". Call election(office) once to stand for it");
        }
        Office known = offices.get(name);
        return running && known != null && known.election().isLeader();
    }

    /** {@return the offices that this instance stands for, in order} */
    public Set<String> offices() {
        return new TreeSet<>(names);
    }

    /** Has this instance stand for an office, from the start on. */
    void add(String office) {
        names.add(named(office));
        if (running) { // A bean that is made late, as a lazy one is.
            office(office);
        }
    }

    Office office(String office) {
        String name = named(office);
        Office known = offices.get(name);
        if (known != null) {
            return known;
        }
        guard.lock();
        try {
            return offices.computeIfAbsent(name, absent -> {
                names.add(name);
                Office made = new Office(client.get().election(name), events);
                if (running) {
                    made.start();
                }
                return made;
            });
        } finally {
            guard.unlock();
        }
    }

    String named(String office) {
        return office.isEmpty() ? defaultOffice : office;
    }

    @Override
    public void start() {
        guard.lock();
        try {
            if (!running) {
                running = true;
                offices.values().forEach(Office::start);
            }
        } finally {
            guard.unlock();
        }
        names.forEach(this::office);
    }

    /** Resigns everywhere, and waits for the locks to be given back for a second at most. */
    @Override
    public void stop() {
        List<Office> ending;
        guard.lock();
        try {
            running = false;
            ending = List.copyOf(offices.values());
            offices.clear();
        } finally {
            guard.unlock();
        }
        List<Thread> resigning = ending.stream()
                .map(office -> new Thread(null, office::close, "leasehold-resign", 0, false))
                .toList();
        resigning.forEach(thread -> {
            thread.setDaemon(true);
            thread.start();
        });
        try {
            for (Thread thread : resigning) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean isAutoStartup() {
        return startsWithContext;
    }

    /** Returns the phase that is the last to be started, and the first to be stopped. */
    @Override
    public int getPhase() {
        return Integer.MAX_VALUE;
    }
}
