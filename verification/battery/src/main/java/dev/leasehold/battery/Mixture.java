package dev.leasehold.battery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A mixture is two faults of a store at the same time: one strikes a client ({@link Fault#SUSPEND} now and then all), the
 * other one servers; or each strikes a client, where there is no server. The second begins while the first is on, and the first
 * is not set right before that.
 *
 * <p>Only such faults are drawn under which the store promises that holders exclude each other, and of them none that sets
 * a server's clock and none by which a store forgets: so exclusion, tokens and truth are judged as strictly as under each of
 * them. What faults excuse is excused for both, and whether a quorum goes on is not judged, since a client is struck, too.
 */
final class Mixture {

    /** A part is one of the two faults, with the clients that it may strike, and all that it leaves to chance. */
    record Part(Fault fault, Nemesis.Clients clients, Random random) {}

    /** An only-client group shows a part one client, so that two parts never strike the same. */
    private record Only(Nemesis.Clients clients, ClientProcess client) implements Nemesis.Clients {

        @Override
        public ClientProcess any(Random random) {
            return client;
        }

        @Override
        public List<ClientProcess> all() {
            return List.of(client);
        }

        @Override
        public void replace(ClientProcess killed) throws Exception {
            clients.replace(killed);
        }
    }

    private final Plan plan;
    private final StoreUnderTest store;
    private final History history;
    private final Part first;
    private final Part second;

    Mixture(Plan plan, StoreUnderTest store, History history, Part first, Part second) {
        this.plan = plan;
        this.store = store;
        this.history = history;
        this.first = first;
        this.second = second;
    }

    /**
     * Draws a mixture. Everything is drawn here, so that it does not depend on how two threads run.
     *
     * @throws Missing if there is neither a server nor a second client
     */
    static Mixture drawn(Plan plan, StoreUnderTest store, Nemesis.Clients clients, History history, Random random) {
        List<Fault> ofServers = ofServers(plan.store());
        List<Part> parts = new ArrayList<>();
        if (ofServers.isEmpty()) {
            List<ClientProcess> victims = new ArrayList<>(clients.all());
            if (victims.size() < 2) {
                throw new Missing("two clients cannot be struck at the same time where there is one");
            }
            Collections.shuffle(victims, random);
            List<Fault> faults = new ArrayList<>(ofClients(plan.store()));
            Collections.shuffle(faults, random);
            for (int i = 0; i < 2; i++) {
                parts.add(part(faults.get(i), new Only(clients, victims.get(i)), random));
            }
        } else {
            parts.add(part(any(ofClients(plan.store()), random), clients, random));
            parts.add(part(any(ofServers, random), clients, random));
            Collections.shuffle(parts, random);
        }
        return new Mixture(plan, store, history, parts.get(0), parts.get(1));
    }

    private static Part part(Fault fault, Nemesis.Clients clients, Random random) {
        return new Part(fault, clients, new Random(random.nextLong()));
    }

    private static Fault any(List<Fault> faults, Random random) {
        return faults.get(random.nextInt(faults.size()));
    }

    /** Returns the faults of clients that are drawn. Without servers none strikes more than one client. */
    static List<Fault> ofClients(StoreKind store) {
        boolean sleep = ClockShim.isThere() && !ofServers(store).isEmpty();
        return mixable(store).stream()
                .filter(fault -> fault.strikesClients() && (sleep || fault != Fault.SUSPEND))
                .toList();
    }

    /** Returns the faults of servers that are drawn. */
    static List<Fault> ofServers(StoreKind store) {
        return mixable(store).stream().filter(fault -> !fault.strikesClients()).toList();
    }

    private static List<Fault> mixable(StoreKind store) {
        return store.faults().stream()
                .filter(fault -> fault != Fault.NONE && fault != Fault.MIXED)
                .filter(fault -> !fault.movesServerClock() && !fault.forgets())
                .filter(fault -> Promises.of(Peer.LEASEHOLD, store, fault) == Promise.EXCLUDED)
                .toList();
    }

    /** Strikes with both, and returns when both have been set right. Throws what either of them did, after that. */
    void strike() throws Exception {
        CountDownLatch isSecondOn = new CountDownLatch(1);
        AtomicReference<Throwable> failureOfSecond = new AtomicReference<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        nemesis(second, isSecondOn::countDown).strike();
                    } catch (Exception | Error e) {
                        failureOfSecond.set(e);
                    } finally {
                        isSecondOn.countDown(); // It has failed before it was on.
                    }
                },
                "leasehold-battery-second-fault");
        thread.setDaemon(true);
        Throwable failure = null;
        try {
            nemesis(first, () -> {
                        thread.start();
                        isSecondOn.await();
                    })
                    .strike();
        } catch (Exception | Error e) {
            failure = e;
        }
        thread.join(); // At once if it was never started.
        failIf(failure, failureOfSecond.get());
    }

    private Nemesis nemesis(Part part, Nemesis.Step whileOn) {
        return new Nemesis(plan.under(part.fault), store, part.clients, history, part.random, whileOn);
    }

    private static void failIf(Throwable failure, Throwable other) throws Exception {
        Throwable worse = failure == null ? other : failure;
        if (failure != null && other != null) {
            failure.addSuppressed(other);
        }
        if (worse instanceof Error error) {
            throw error;
        } else if (worse instanceof Exception exception) {
            throw exception;
        }
    }
}
