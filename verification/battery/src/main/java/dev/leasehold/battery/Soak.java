package dev.leasehold.battery;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/**
 * A soak is a long run of many processes with a fault now and then. Four times all of them rest, and what they and the
 * servers have is counted: after the first minute, twice in between, and at the end. The history is judged like that of
 * any run.
 */
final class Soak {

    /** Used beside the locks of every run, so often that the first minute uses all of them. */
    private static final int FURTHER_NAMES = 50;

    /** All locks that are used. */
    static final int LOCKS = FURTHER_NAMES + 3;

    private static final Duration FIRST = Duration.ofSeconds(60);
    private static final Duration MEASURING = Duration.ofSeconds(30);
    private static final int PARTS = 3;

    /** An outcome is what came of a soak. */
    record Outcome(Result result, SoakGauges gauges) {

        boolean isGood() {
            return result.violations().isEmpty() && gauges.grown().isEmpty();
        }

        /** Returns a report, as Markdown. */
        String report() {
            return String.format(
                    Locale.ROOT,
                    "%n## %s %s%n%n%.1f minutes, %d grants, %d faults, %d violations, longest wait %.1f s, seed %d; %s.%n%n"
                            + "| at rest | after a minute | after a third | after two thirds | at the end |%n|---|--:|--:|--:|--:|%n%s",
                    result.plan().title(),
                    result.server(),
                    result.took().toMillis() / 60_000.0,
                    result.grants(),
                    result.strikes(),
                    result.violations().size(),
                    result.longestWait().toMillis() / 1_000.0,
                    result.plan().seed(),
                    gauges.grown().isEmpty() ? "nothing has grown" : "grown: " + String.join("; ", gauges.grown()),
                    gauges.table());
        }
    }

    private final Plan plan;
    private final PrintStream out;
    private final Path logs;
    private final Random random;
    private final SoakGauges gauges = new SoakGauges();
    private final Map<String, Integer> before = new LinkedHashMap<>();
    private int measured;

    private Soak(Plan plan, PrintStream out) throws IOException {
        this.plan = plan;
        this.out = out;
        this.random = new Random(plan.seed());
        this.logs = Files.createDirectories(plan.directory().resolve("history"));
    }

    /** Carries a plan out; its fault is ignored, and those are used under which the store promises exclusion. */
    static Outcome of(Plan plan, PrintStream out) throws Exception {
        return new Soak(plan, out).carryOut();
    }

    /** Returns the faults of a store, one at a time, without those that need the shim of a clock. */
    static List<Fault> faults(StoreKind store) {
        EnumSet<Fault> faults = EnumSet.copyOf(store.faults());
        faults.removeAll(EnumSet.of(Fault.NONE, Fault.SUSPEND, Fault.MIXED));
        faults.removeIf(
                fault -> fault.movesServerClock() || Promises.of(Peer.LEASEHOLD, store, fault) != Promise.EXCLUDED);
        return List.copyOf(faults);
    }

    private Outcome carryOut() throws Exception {
        List<String> left;
        String server;
        Terms terms;
        try (History own = History.open(logs, "battery");
                StoreUnderTest store = plan.store().start(plan.directory(), Fault.NONE)) {
            server = store.version();
            terms = plan.terms(store.overtaking());
            List<String> arguments = List.of(Integer.toString(FURTHER_NAMES));
            try (ClientGroup clients = ClientGroup.start(plan, store, logs, random, arguments)) {
                clients.awaitGrants();
                Thread.sleep(FIRST.toMillis());
                measure(clients, store, terms);
                for (int part = 0; part < PARTS; part++) {
                    torment(clients, store, own, terms);
                    measure(clients, store, terms);
                }
                own.add(new Event.Healed(System.nanoTime(), "battery", "end"));
                left = clients.finish(terms);
            }
        }
        List<Event> history = History.read(logs);
        List<Violation> violations = Judge.violations(terms, history, left);
        Outcome outcome = new Outcome(Result.of(plan, terms.promise(), server, history, violations), gauges);
        Files.write(
                plan.directory().resolve("violations.txt"),
                Stream.concat(violations.stream().map(Violation::toString), gauges.grown().stream())
                        .toList());
        Files.writeString(plan.directory().resolve("soak.md"), outcome.report().stripLeading());
        return outcome;
    }

    private void torment(ClientGroup clients, StoreUnderTest store, History own, Terms terms) throws Exception {
        long end = System.nanoTime()
                + plan.duration().toNanos() / PARTS
                - terms.recovery().toNanos();
        List<Fault> faults = faults(plan.store());
        while (System.nanoTime() - end < 0) {
            Thread.sleep(5_000 + random.nextInt(20_000));
            Fault fault = faults.get(random.nextInt(faults.size()));
            new Nemesis(plan.under(fault), store, clients, own, new Random(random.nextLong())).strike();
        }
    }

    /** Lets everybody rest until all that a fault has left is over, and counts. */
    private void measure(ClientGroup clients, StoreUnderTest store, Terms terms) throws Exception {
        order(clients, ClientMain.REST);
        Thread.sleep(terms.recovery().plus(plan.lease()).toMillis());
        order(clients, ClientMain.MEASURE);
        Map<String, ClientGauges> found = new LinkedHashMap<>();
        for (ClientProcess client : clients.all()) {
            found.put(client.name(), awaitGauges(client));
        }
        gauges.add(found, store.gauges());
        measured++;
        out.printf("%s, measured %d times%n%s", plan.title(), measured, gauges.table());
        order(clients, ClientMain.GO_ON);
    }

    /** Waits for the newest line of the console, which a client writes only when it is measured here. */
    private ClientGauges awaitGauges(ClientProcess client) throws IOException, InterruptedException {
        Path console = logs.resolve(client.name() + ".out");
        long end = System.nanoTime() + MEASURING.toNanos();
        int had = before.getOrDefault(client.name(), 0);
        while (true) {
            List<ClientGauges> all = ClientGauges.in(console);
            if (all.size() > had) {
                before.put(client.name(), all.size());
                return all.get(all.size() - 1);
            }
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException(client.name() + " counts nothing; see " + console);
            }
            Thread.sleep(50);
        }
    }

    private static void order(ClientGroup clients, char order) throws IOException {
        for (ClientProcess client : clients.all()) {
            client.order(order);
        }
    }
}
