package dev.leasehold.battery;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockInfo;
import dev.leasehold.LockOptions;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A run carries a plan out: servers, client processes, one fault again and again, and the judgement of what came of it. */
final class Run implements Nemesis.Clients {

    private static final long ENDING_SECONDS = 20;
    private static final Duration PROGRESS = Duration.ofSeconds(5);
    private static final Duration START = Duration.ofSeconds(60);

    private final Plan plan;
    private final Path logs;
    private final PrintStream out;
    private final Random seeds;
    private final List<ClientProcess> clients = new ArrayList<>();
    private StoreUnderTest store;
    private int started;

    private Run(Plan plan, PrintStream out) throws Exception {
        this.plan = plan;
        this.out = out;
        this.seeds = new Random(plan.seed());
        this.logs = Files.createDirectories(plan.directory().resolve("history"));
    }

    /** Carries a plan out. Its directory must be empty, or not there yet. */
    static Result of(Plan plan, PrintStream out) throws Exception {
        return new Run(plan, out).carryOut();
    }

    private Result carryOut() throws Exception {
        List<String> left;
        Terms terms;
        String server;
        try (History own = History.open(logs, "battery");
                StoreUnderTest servers = plan.store().start(plan.directory(), plan.fault())) {
            store = servers;
            server = servers.version();
            terms = plan.terms(servers.overtaking());
            plan.peer().prepare(plan.store(), servers.uri());
            for (int i = 0; i < plan.clients(); i++) {
                startClient();
            }
            awaitGrants();
            torment(new Nemesis(plan, servers, this, own, new Random(seeds.nextLong())), terms);
            own.add(new Event.Healed(System.nanoTime(), "battery", "end"));
            left = finish(terms);
        } finally {
            clients.forEach(ClientProcess::close);
        }
        List<Event> history = History.read(logs);
        List<Violation> violations = Judge.violations(terms, history, left);
        Result result = Result.of(plan, terms.promise(), server, history, violations);
        Files.writeString(plan.directory().resolve("picture.html"), Page.of(result, history));
        Files.write(
                plan.directory().resolve("violations.txt"),
                violations.stream().map(Violation::toString).toList());
        return result;
    }

    private void startClient() throws Exception {
        String name = "client-" + ++started;
        clients.add(ClientProcess.start(name, store.way(), plan, seeds.nextLong(), logs));
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

    private void awaitGrants() throws Exception {
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

    /** Strikes in intervals, some of them long enough to recover in, until so little time is left that what follows the last strike would not be seen. */
    private void torment(Nemesis nemesis, Terms terms) throws Exception {
        Random intervals = new Random(seeds.nextLong());
        long end = System.nanoTime() + plan.duration().toNanos();
        long recovery = plan.fault() == Fault.NONE ? 0 : terms.recovery().toMillis();
        long calm = recovery == 0
                ? 0
                : TimeUnit.MILLISECONDS.toNanos(recovery + 2 * plan.lease().toMillis());
        long said = System.nanoTime();
        do {
            boolean recovers = intervals.nextInt(4) == 0
                    && end - System.nanoTime() > calm + TimeUnit.MILLISECONDS.toNanos(recovery);
            Thread.sleep(recovers ? recovery : (long) (plan.lease().toMillis() * (0.2 + intervals.nextDouble())));
            nemesis.strike();
            if (System.nanoTime() - said > PROGRESS.toNanos()) {
                said = System.nanoTime();
                say();
            }
        } while (end - System.nanoTime() > calm);
        Thread.sleep(Math.max(recovery, (end - System.nanoTime()) / 1_000_000));
    }

    private void say() throws Exception {
        Result now = Result.of(plan, Promise.EXCLUDED, "", History.read(logs), List.of());
        out.printf("%s, %s: %d grants, %d faults%n", plan.title(), plan.fault().word(), now.grants(), now.strikes());
    }

    /** Ends all clients, and returns what is not as it should be afterwards. */
    private List<String> finish(Terms terms) throws Exception {
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
            List<String> there = there(looking);
            while (!there.isEmpty() && System.nanoTime() - end < 0) {
                Thread.sleep(100);
                there = there(looking);
            }
            left.addAll(there);
        }
        return left;
    }

    private static List<String> there(Leasehold looking) throws InterruptedException {
        try {
            return looking.locks("battery-*").stream()
                    .filter(info -> !info.holders().isEmpty() || !info.waiters().isEmpty())
                    .map(LockInfo::toString)
                    .toList();
        } catch (LockException e) {
            return List.of("the store does not answer: " + e.getMessage());
        }
    }
}
