package dev.leasehold.battery;

import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * A soak command is a call of {@code leasehold-battery soak}. Its exit status is 0 if no promise was broken and nothing has
 * grown, 1 otherwise.
 */
@Command(
        name = "soak",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description =
                "Runs many client processes for long, with a fault now and then, and counts at rest what they and the "
                        + "servers have: memory, threads, files, connections, watchers, keys, rows, nodes.")
final class SoakCommand implements Callable<Integer> {

    @Option(
            names = "--store",
            split = ",",
            paramLabel = "STORE",
            description = "as for the battery; one after the other, redis by default")
    private List<String> stores = List.of("redis");

    @Option(names = "--minutes", paramLabel = "N", description = "for each store, 30 by default")
    private double minutes = 30;

    @Option(names = "--clients", paramLabel = "N", description = "how many processes, 8 by default")
    private int clients = 8;

    @Option(names = "--seed", paramLabel = "S", description = "of the workload and the faults")
    private long seed = System.nanoTime() & 0xFFFFFF;

    @Option(names = "--lease", paramLabel = "MILLIS", description = "how long leases are, 2000 by default")
    private long lease = 2_000;

    @Option(names = "--out", paramLabel = "DIR", description = "where histories and reports go, soak-SEED by default")
    private Path directory;

    @Spec
    private CommandSpec usage;

    private final PrintStream out;

    SoakCommand(PrintStream out) {
        this.out = out;
    }

    @Override
    public Integer call() throws Exception {
        Path parent = directory == null ? Path.of("soak-" + seed) : directory;
        boolean good = true;
        for (StoreKind kind : kinds()) {
            try {
                good &= isGood(Soak.of(plan(kind, Files.createDirectories(parent.resolve(kind.word()))), out));
            } catch (Missing e) {
                out.printf("%s is left out: %s%n", kind.word(), e.getMessage());
            }
        }
        return good ? 0 : 1;
    }

    private Plan plan(StoreKind kind, Path own) {
        return new Plan(
                Peer.LEASEHOLD,
                kind,
                Fault.NONE,
                Duration.ofMillis((long) (minutes * 60_000)),
                Duration.ofMillis(lease),
                clients,
                seed,
                Worker.Kind.CAREFUL,
                BatteryCommand.REACTION,
                own);
    }

    private boolean isGood(Soak.Outcome outcome) {
        out.println(outcome.report());
        outcome.result().violations().stream().limit(5).forEach(violation -> out.println("  " + violation));
        return outcome.isGood();
    }

    private List<StoreKind> kinds() {
        try {
            if (!(minutes > 0) || clients < 1) {
                throw new IllegalArgumentException("minutes must be positive, and a client there");
            }
            return stores.contains("all")
                    ? Arrays.asList(StoreKind.values())
                    : stores.stream().map(StoreKind::named).toList();
        } catch (IllegalArgumentException e) {
            throw new CommandLine.ParameterException(usage.commandLine(), e.getMessage(), e);
        }
    }
}
