package dev.leasehold.battery;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import dev.leasehold.inspect.LockInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client group has the client processes of one run: started, replaced when one is killed, and ended. */
final class ClientGroup implements Nemesis.Clients, AutoCloseable {

    private static final long ENDING_SECONDS = 20;
    private static final Duration START = Duration.ofSeconds(60);

    private final Plan plan;
    private final StoreUnderTest store;
    private final Path logs;
    private final Random seeds;
    private final List<String> arguments;
    private final List<ClientProcess> clients = new ArrayList<>();
    private int started;

    private ClientGroup(Plan plan, StoreUnderTest store, Path logs, Random seeds, List<String> arguments) {
        this.plan = plan;
        this.store = store;
        this.logs = logs;
        this.seeds = seeds;
        this.arguments = arguments;
    }

    /** Starts as many as the plan says, with arguments behind those that {@link ClientMain} needs. */
    static ClientGroup start(Plan plan, StoreUnderTest store, Path logs, Random seeds, List<String> arguments)
            throws Exception {
        ClientGroup group = new ClientGroup(plan, store, logs, seeds, arguments);
        try {
            for (int i = 0; i < plan.clients(); i++) {
                group.startClient();
            }
            return group;
        } catch (Exception e) {
            group.close();
            throw e;
        }
    }

    private void startClient() throws Exception {
        String name = "client-" + ++started;
        clients.add(ClientProcess.start(name, store.way(), plan, seeds.nextLong(), logs, ClientMain.class, arguments));
    }

    @Override
    public ClientProcess any(Random random) {
        return clients.get(random.nextInt(clients.size()));
    }

    @Override
    public List<ClientProcess> all() {
        return List.copyOf(clients);
    }

    @Override
    public void replace(ClientProcess killed) throws Exception {
        clients.remove(killed);
        startClient();
    }

    /** Waits until each client has had a lock. */
    void awaitGrants() throws Exception {
        long end = System.nanoTime() + START.toNanos();
        while (Call.of(History.read(logs)).stream()
                        .filter(Call::isHold)
                        .map(Call::client)
                        .distinct()
                        .count()
                < plan.clients()) {
            if (System.nanoTime() - end > 0 || !clients.stream().allMatch(ClientProcess::isAlive)) {
                throw new IllegalStateException("not all clients of " + plan + " got a lock; see " + logs);
            }
            Thread.sleep(50);
        }
    }

    /** Ends all clients, and returns what is not as it should be afterwards. */
    List<String> finish(Terms terms) throws Exception {
        List<String> left = new ArrayList<>();
        clients.forEach(ClientProcess::finish);
        for (ClientProcess client : clients) {
            if (!client.hasEndedWithin(ENDING_SECONDS)) {
                left.add("the process " + client.name() + " did not end well within " + ENDING_SECONDS
                        + " s; see its output");
                client.kill();
            }
        }
        if (!plan.peer().isOurs()) {
            return left;
        }
        long end = System.nanoTime() + terms.lease().plus(terms.recovery()).toNanos();
        LockOptions options = LockOptions.defaults().withLeaseDuration(plan.lease());
        try (Leasehold looking =
                Leasehold.builder().uri(store.uri()).options(options).build()) {
            List<String> there = leftIn(looking);
            while (!there.isEmpty() && System.nanoTime() - end < 0) {
                Thread.sleep(100);
                there = leftIn(looking);
            }
            left.addAll(there);
        }
        return left;
    }

    /** Returns what the store still has of the locks of a run, each in words. */
    static List<String> leftIn(Leasehold looking) throws InterruptedException {
        try {
            return looking.locks("battery-*").stream()
                    .filter(info -> !info.holders().isEmpty() || !info.waiters().isEmpty())
                    .map(LockInfo::toString)
                    .toList();
        } catch (LockException e) {
            return List.of("the store does not answer: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        clients.forEach(ClientProcess::close);
    }
}
