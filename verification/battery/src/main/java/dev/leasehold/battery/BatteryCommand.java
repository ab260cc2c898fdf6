package dev.leasehold.battery;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A battery command is a call of {@code leasehold-battery}. Its exit status is 0 if all promises were kept, 1 if one was
 * broken or a run failed, 2 for wrong usage.
 */
@Command(
        name = "leasehold-battery",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = "Starts real stores and client processes, strikes them with faults, and judges the history.")
final class BatteryCommand implements Callable<Integer> {

    /**
     * Lettuce's logger, which reports each server that is killed. It is kept here, or the setting would be lost with
     * the logger.
     */
    private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

    static final Duration REACTION = Duration.ofSeconds(1);

    @Option(
            names = "--store",
            split = ",",
            paramLabel = "STORE",
            description =
                    "sqlite, redis, sentinel, redlock, cluster, postgres, pgbouncer, mariadb, zookeeper, postgres-session,"
                            + " mariadb-session, or all (default)")
    private List<String> stores = List.of("all");

    @Option(
            names = "--fault",
            split = ",",
            paramLabel = "FAULT",
            description = "those of docs/internal/battery.md, or all (default); what a store cannot have is left out")
    private List<String> faults = List.of("all");

    @Option(
            names = "--peer",
            split = ",",
            paramLabel = "PEER",
            description =
                    "leasehold (default), redisson, redisson-fair, redisson-multi, curator, spring-redis, spring-jdbc, "
                            + "shedlock-redis, shedlock-jdbc, or all; only on the stores that it has")
    private List<String> peers = List.of("leasehold");

    @Option(names = "--minutes", paramLabel = "N", description = "for all runs together, 10 by default")
    private double minutes = 10;

    @Option(
            names = "--seed",
            paramLabel = "S",
            description = "of the workload and the faults; another one each time by default")
    private long seed = System.nanoTime() & 0xFFFFFF;

    @Option(
            names = "--lease",
            paramLabel = "MILLIS",
            description = "how long leases are, 2000 by default, 4000 at most")
    private long lease = 2_000;

    @Option(names = "--clients", paramLabel = "N", description = "how many processes, 3 by default")
    private int clients = 3;

    @Option(
            names = "--lock-set",
            description =
                    "not the faults, but the lock set: which updates of a resource are lost when holders are paused")
    private boolean lockSet;

    @Option(
            names = "--tables",
            paramLabel = "DOCS",
            description =
                    "run nothing: write the tables of DOCS/guarantees.md and of the README beside DOCS from the results in DOCS/battery-*.csv")
    private Path tables;

    @Option(names = "--worker", hidden = true, description = "CAREFUL, or HEEDLESS to see the judge at work")
    private Worker.Kind worker = Worker.Kind.CAREFUL;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where histories and pictures go, battery-SEED by default")
    private Path directory;

    @Spec
    private CommandSpec usage;

    private final PrintStream out;

    BatteryCommand(PrintStream out) {
        this.out = out;
    }

    /** Runs the command. */
    public static void main(String[] args) {
        LETTUCE.setLevel(Level.OFF);
        System.exit(commandLine(System.out).execute(args));
    }

    /** Returns the command with its subcommand. */
    static CommandLine commandLine(PrintStream out) {
        return new CommandLine(new BatteryCommand(out)).addSubcommand(new SoakCommand(out));
    }

    @Override
    public Integer call() throws Exception {
        refuseWrongUsage();
        if (tables != null) {
            GuaranteeTables.write(tables);
            ReadmeTable.write(tables);
            return 0;
        }
        Path parent = directory();
        if (lockSet) {
            return lockSets(parent);
        }
        List<Plan> plans = plans(parent);
        if (plans.isEmpty()) {
            out.println("none of these stores can have any of these faults");
            return 2;
        }
        out.printf(
                "seed %d, %d runs of %d s%n",
                seed, plans.size(), plans.get(0).duration().toSeconds());
        List<Result> results = new ArrayList<>();
        boolean failed = false;
        for (Plan plan : plans) {
            try {
                Result result = Run.of(plan, out);
                results.add(result);
                keep(
                        directory(),
                        ResultsFile.NAME,
                        Row.HEADER,
                        Row.of(LocalDate.now(), result).toLine());
                out.println(Report.line(result));
                result.violations().stream().limit(3).forEach(violation -> out.println("  " + violation));
            } catch (Missing e) {
                out.printf(
                        "%s, %s is left out: %s%n", plan.title(), plan.fault().word(), e.getMessage());
            } catch (IOException | SQLException | RuntimeException e) {
                failed = true;
                out.printf(
                        "%s, %s could not be run: %s%n",
                        plan.title(), plan.fault().word(), e);
            }
        }
        Report report = new Report(seed, results);
        out.print(report.table());
        report.write(plans.get(0).directory().getParent());
        return failed || report.hasViolations() ? 1 : 0;
    }

    /**
     * Runs each store without readers, with each use of tokens that the library can have; and with readers, unguarded
     * and registered.
     */
    private int lockSets(Path parent) throws Exception {
        faults = List.of(Fault.NONE.word());
        List<Plan> plans = plans(parent);
        long runs = plans.stream().mapToLong(BatteryCommand::variants).sum();
        Duration each = Duration.ofMillis((long) (minutes * 60_000 / Math.max(1, runs)));
        out.printf("seed %d, %d lock sets of %d s%n", seed, runs, each.toSeconds());
        List<SetWorkload.Outcome> outcomes = new ArrayList<>();
        for (Plan plan : plans) {
            for (boolean shared : new boolean[] {false, true}) {
                for (Guard guard : Guard.values()) {
                    if (isPossible(plan, guard, shared)) {
                        String name = "lock-set-" + plan.title() + "-" + guard.word() + (shared ? "-readers" : "");
                        lockSet(plan.lasting(each).in(parent.resolve(name)), guard, shared)
                                .ifPresent(outcomes::add);
                    }
                }
            }
        }
        SetWorkloadReport report = new SetWorkloadReport(outcomes);
        out.print(report.table());
        Files.createDirectories(parent);
        Files.writeString(parent.resolve("lock-sets.md"), report.table().stripLeading());
        return report.isAsExpected() ? 0 : 1;
    }

    private static long variants(Plan plan) {
        return Arrays.stream(Guard.values())
                .mapToLong(guard -> (isPossible(plan, guard, false) ? 1 : 0) + (isPossible(plan, guard, true) ? 1 : 0))
                .sum();
    }

    /** Peers have no tokens, and sessions share no locks. */
    private static boolean isPossible(Plan plan, Guard guard, boolean shared) {
        return plan.peer().isOurs()
                ? !shared || guard != Guard.WRITES && !plan.store().hasSessionLocks()
                : !shared && guard == Guard.UNGUARDED;
    }

    private Optional<SetWorkload.Outcome> lockSet(Plan plan, Guard guard, boolean shared) throws Exception {
        try {
            SetWorkload.Outcome outcome = SetWorkload.of(plan, guard, shared, out);
            keep(
                    directory(),
                    ResultsFile.LOCK_SETS,
                    SetWorkloadRow.HEADER,
                    SetWorkloadRow.of(LocalDate.now(), outcome).toLine());
            return Optional.of(outcome);
        } catch (Missing e) {
            out.printf("%s, %s is left out: %s%n", plan.title(), guard.word(), e.getMessage());
            return Optional.empty();
        }
    }

    private Path directory() {
        return directory == null ? Path.of("battery-" + seed) : directory;
    }

    /** Appends a line to a file of results, as soon as there is one. */
    private static void keep(Path parent, String name, String header, String line) throws IOException {
        Path file = parent.resolve(name);
        Files.createDirectories(parent);
        String text = Files.exists(file) ? line + "\n" : header + "\n" + line + "\n";
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void refuseWrongUsage() {
        try {
            stores.stream().filter(store -> !store.equals("all")).forEach(StoreKind::named);
            peers.stream().filter(peer -> !peer.equals("all")).forEach(Peer::named);
            faults.stream().filter(fault -> !fault.equals("all")).forEach(Fault::named);
            if (!(minutes > 0) || lease < 200 || lease > 4_000 || clients < 1) {
                throw new IllegalArgumentException(
                        "minutes must be positive, a lease 200 to 4000 ms long, and a client there");
            }
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(usage.commandLine(), e.getMessage(), e);
        }
    }

    private List<Plan> plans(Path parent) {
        List<StoreKind> kinds = stores.contains("all")
                ? Arrays.asList(StoreKind.values())
                : stores.stream().map(StoreKind::named).toList();
        List<Fault> chosen = faults.contains("all")
                ? Arrays.asList(Fault.values())
                : faults.stream().map(Fault::named).toList();
        List<Peer> libraries = peers.contains("all")
                ? Arrays.asList(Peer.values())
                : peers.stream().map(Peer::named).toList();
        List<Plan> plans = new ArrayList<>();
        for (Peer peer : libraries) {
            for (StoreKind kind : kinds) {
                for (Fault fault : chosen) {
                    boolean possible =
                            peer.stores().contains(kind) && kind.faults().contains(fault);
                    if (possible && (peer.isOurs() || fault != Fault.MIXED)) { // Peers name no promise for it.
                        plans.add(plan(peer, kind, fault, parent));
                    }
                }
            }
        }
        int parts = plans.stream().mapToInt(BatteryCommand::parts).sum();
        long part = (long) (minutes * 60_000 / Math.max(1, parts));
        plans.replaceAll(plan -> plan.lasting(Duration.ofMillis(part * parts(plan))));
        return plans;
    }

    /** A mixture has twice the time of another fault: there are so many pairs. */
    private static int parts(Plan plan) {
        return plan.fault() == Fault.MIXED ? 2 : 1;
    }

    private Plan plan(Peer peer, StoreKind kind, Fault fault, Path parent) {
        return new Plan(
                peer,
                kind,
                fault,
                Duration.ZERO,
                Duration.ofMillis(lease),
                clients,
                seed,
                worker,
                REACTION,
                parent.resolve((peer.isOurs() ? "" : peer.word() + "-") + kind.word() + "-" + fault.word()));
    }
}
