package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.report.BenchmarksPage;
import dev.leasehold.benchmarks.report.Machine;
import dev.leasehold.benchmarks.report.Metric;
import dev.leasehold.benchmarks.report.Outcome;
import dev.leasehold.benchmarks.report.RunReport;
import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.report.Warmth;
import dev.leasehold.benchmarks.server.RunningServers;
import dev.leasehold.benchmarks.server.StoreKind;
import dev.leasehold.benchmarks.study.StudyCommand;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A bench command is a call of {@code leasehold-bench}. Its exit status is 0 if all contestants went through, 1 if one could
 * not, 2 for wrong usage.
 */
@Command(
        name = "leasehold-bench",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        subcommands = StudyCommand.class,
        description =
                "Measures Leasehold beside other lock libraries and beside the bare floor, on real servers, in turns.")
final class BenchCommand implements Callable<Integer> {

    /** It reports each connection that a server closes. Kept here, or the setting would be lost with the logger. */
    private static final Logger LETTUCE = Logger.getLogger("io.lettuce");

    private static final Pattern STORE = Pattern.compile(
            "-(" + Arrays.stream(StoreKind.values()).map(StoreKind::word).collect(Collectors.joining("|")) + ")$");

    @Option(
            names = "--set",
            split = ",",
            paramLabel = "SET",
            description = "main, shared (semaphores, readers), more, scaling, or all; main and shared by default")
    private List<String> sets = List.of("main", "shared");

    @Option(
            names = "--workload",
            split = ",",
            paramLabel = "NAME",
            description = "these instead of sets; 4x4 stands for 4x4-redis, 4x4-postgres and so on")
    private List<String> names = List.of();

    @Option(names = "--store", split = ",", paramLabel = "STORE", description = "only on these")
    private List<String> stores = List.of();

    @Option(names = "--contestant", split = ",", paramLabel = "NAME", description = "only these")
    private List<String> contestants = List.of();

    @Option(
            names = "--variant",
            paramLabel = "NAME=JVM ARGUMENTS",
            description = "Leasehold once more, in JVMs with these arguments (another class path, a system property)")
    private Map<String, String> variants = new LinkedHashMap<>();

    @Option(names = "--rounds", paramLabel = "N", description = "turns of each contestant, 15 by default")
    private int rounds = 15;

    @Option(names = "--minutes", paramLabel = "N", description = "for all together: sets the length of the turns")
    private double minutes;

    @Option(names = "--turn", paramLabel = "MILLIS", description = "length of a turn, 1000 by default")
    private long turn = 1_000;

    @Option(
            names = "--warm-up",
            paramLabel = "MILLIS",
            description =
                    "of each contestant, at most: it ends when its JVMs compile no more; 90000 by default, 0 for none")
    private long warmUp = 90_000;

    @Option(names = "--quick", description = "a moment of each, to see that it works")
    private boolean quick;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "where results.csv, results.md and index.html go, bench-TIME by default")
    private Path directory;

    @Option(
            names = "--docs",
            paramLabel = "PAGE",
            description = "also puts the figures into this page, between their markers: docs/benchmarks.md")
    private Path page;

    @Option(names = "--list", description = "names sets, workloads and contestants, and ends")
    private boolean list;

    @Spec
    private CommandSpec usage;

    private final PrintStream out;

    BenchCommand(PrintStream out) {
        this.out = out;
    }

    /** Runs the command. */
    public static void main(String[] args) {
        LETTUCE.setLevel(Level.OFF);
        System.exit(new CommandLine(new BenchCommand(System.out)).execute(args));
    }

    @Override
    public Integer call() throws Exception {
        List<Workload> workloads = chosen();
        if (list) {
            workloads.forEach(this::describe);
            return 0;
        }
        long start = System.nanoTime();
        Pace pace = pace(workloads, minutes);
        String time = LocalDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmm"));
        Path into = directory == null ? Path.of("bench-" + time) : directory;
        Files.createDirectories(into);
        String machine = Machine.line();
        out.println(machine);
        out.printf(
                "%d workloads, %s, about %s; results go to %s%n",
                workloads.size(), pace.words(), Budget.words(pace, workloads), into);
        RunReport report = new RunReport(into, machine);
        try (RunningServers servers = new RunningServers()) {
            for (int i = 0; i < workloads.size(); i++) {
                Workload workload = workloads.get(i);
                List<Workload> left = workloads.subList(i, workloads.size());
                pace = pace(left, minutes - (System.nanoTime() - start) / 60e9);
                Bench bench = new Bench(servers, pace, into, out);
                out.printf(
                        "[%d of %d] %s (%s), about %s left%n",
                        i + 1, workloads.size(), workload.title(), workload.name(), Budget.words(pace, left));
                servers.closeExcept(
                        workload.contestants().stream().map(Contestant::store).toArray(StoreKind[]::new));
                Map<Contestant, Samples> samples = measure(bench, workload);
                Outcome outcome = outcome(workload, samples, pace, bench.versions(workload) + "; " + machine);
                report.add(outcome);
                RunReport.lines(outcome).forEach(out::println);
                out.println("  " + Warmth.words(outcome.samples()));
                if (page != null) {
                    new BenchmarksPage(
                                    page,
                                    Catalog.all().stream().map(Workload::name).toList())
                            .update(report.outcomes());
                }
            }
        }
        return report.outcomes().stream()
                        .flatMap(outcome -> outcome.samples().values().stream())
                        .allMatch(samples -> samples.failure().isEmpty())
                ? 0
                : 1;
    }

    /** Returns the pace at which these workloads take so many minutes, if that was asked for. */
    private Pace pace(List<Workload> workloads, double left) {
        if (quick) {
            return new Pace(1, Duration.ofMillis(300), Duration.ofMillis(300), true);
        }
        return minutes > 0
                ? Budget.within(left, workloads, rounds, Duration.ofMillis(warmUp))
                : new Pace(rounds, Duration.ofMillis(turn), Duration.ofMillis(warmUp), false);
    }

    private static Map<Contestant, Samples> measure(Bench bench, Workload workload) throws Exception {
        Map<Contestant, Samples> samples = switch (workload.mode()) {
            case THROUGHPUT -> Throughput.measure(bench, workload);
            case KILLED_HOLDER -> KilledHolder.measure(bench, workload);
            case KILLED_HALF -> KilledHalf.measure(bench, workload);
            case FIRST -> FirstLock.measure(bench, workload);
            case HELD -> HeldLeases.measure(bench, workload);
        };
        samples.values().forEach(Samples::finish);
        return samples;
    }

    private static Outcome outcome(Workload workload, Map<Contestant, Samples> measured, Pace pace, String machine) {
        Map<String, Samples> samples = new LinkedHashMap<>();
        measured.forEach((contestant, own) -> samples.put(contestant.label(), own));
        String ours = workload.contestants().stream()
                .filter(contestant -> contestant.peer().isLeasehold())
                .map(Contestant::label)
                .findFirst()
                .orElse("");
        StoreKind store = workload.contestants().get(0).store();
        String date = LocalDateTime.now(ZoneOffset.UTC).format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm"));
        boolean counts = workload.columns().contains(Metric.REQUESTS) && store != StoreKind.SQLITE;
        String how = (workload.mode() == Workload.Mode.THROUGHPUT ? pace.words() + ". " : "")
                + Warmth.words(samples)
                + (counts ? "Requests are " + store.requests() + ". " : "");
        return new Outcome(
                workload.name(),
                workload.title(),
                workload.columns(),
                ours,
                samples,
                "*" + date + " UTC. " + how + machine + ".*",
                new Outcome.Point(
                        store.label() + (workload.distance().isZero() ? "" : ", far"),
                        workload.shape().processes(),
                        workload.shape().threads(),
                        workload.shape().keys()));
    }

    private void describe(Workload workload) {
        out.printf(
                "%-8s %-24s %s: %s%n",
                workload.group().name().toLowerCase(Locale.ROOT),
                workload.name(),
                workload.title(),
                String.join(
                        ", ",
                        workload.contestants().stream()
                                .map(contestant -> contestant.peer().word())
                                .toList()));
    }

    private List<Workload> chosen() {
        try {
            stores.forEach(StoreKind::named);
            contestants.forEach(Peer::named);
            List<Workload> workloads = new ArrayList<>();
            for (Workload workload : Catalog.all()) {
                if (isChosen(workload)) {
                    List<Contestant> chosen = withVariants(workload);
                    if (!chosen.isEmpty()) {
                        workloads.add(
                                quick ? quickly(workload.withContestants(chosen)) : workload.withContestants(chosen));
                    }
                }
            }
            if (workloads.isEmpty() || rounds < 1) {
                throw new IllegalArgumentException("no workload is named so on these stores; see --list");
            }
            return workloads;
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(usage.commandLine(), e.getMessage(), e);
        }
    }

    private boolean isChosen(Workload workload) {
        if (names.isEmpty()) {
            return sets.contains("all")
                    || sets.contains(workload.group().name().toLowerCase(Locale.ROOT))
                    || (list && sets.equals(List.of("main", "shared")));
        }
        return names.stream().anyMatch(name -> {
            String base = STORE.matcher(workload.name()).replaceFirst("");
            return name.equals(workload.name()) || name.equals(base);
        });
    }

    private List<Contestant> withVariants(Workload workload) {
        List<Contestant> chosen = new ArrayList<>();
        for (Contestant contestant : workload.contestants()) {
            if ((stores.isEmpty() || stores.contains(contestant.store().word()))
                    && (contestants.isEmpty()
                            || contestants.contains(contestant.peer().word()))) {
                chosen.add(contestant);
                if (contestant.peer() == Peer.LEASEHOLD) {
                    variants.forEach((name, arguments) ->
                            chosen.add(contestant.variant(name, List.of(arguments.split(" ", -1)))));
                }
            }
        }
        return chosen;
    }

    private static Workload quickly(Workload workload) {
        Workload small = workload.withCount(Math.min(workload.count(), 500))
                .withShape(workload.shape()
                        .withProcesses(Math.min(2, workload.shape().processes())));
        return workload.mode() == Workload.Mode.KILLED_HALF || workload.mode() == Workload.Mode.KILLED_HOLDER
                ? small.withShape(small.shape().withLease(Duration.ofSeconds(2)))
                : small;
    }
}
