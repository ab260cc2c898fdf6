package dev.leasehold.battery;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** A run carries a plan out: servers, client processes, one fault again and again, and the judgement of what came of it. */
final class Run {

    private static final Duration PROGRESS = Duration.ofSeconds(5);

    private final Plan plan;
    private final Path logs;
    private final PrintStream out;
    private final Random seeds;

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
            server = servers.version();
            terms = plan.terms(servers.overtaking());
            plan.peer().prepare(plan.store(), servers.uri());
            try (ClientGroup clients = ClientGroup.start(plan, servers, logs, seeds, List.of())) {
                clients.awaitGrants();
                torment(new Nemesis(plan, servers, clients, own, new Random(seeds.nextLong())), terms);
                own.add(new Event.Healed(System.nanoTime(), "battery", "end"));
                left = clients.finish(terms);
            }
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
}
