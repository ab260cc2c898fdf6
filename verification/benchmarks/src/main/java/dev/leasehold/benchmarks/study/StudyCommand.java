package dev.leasehold.benchmarks.study;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The subcommand {@code study} measures one thing of ours, and compares it with nothing. */
@Command(
        name = "study",
        mixinStandardHelpOptions = true,
        description = "Looks at one thing of ours: many-leases (20,000 leases on a cluster of which one master hangs), "
                + "slow-node (five masters, one of them slow, some of them down), observer (what observers cost).")
public final class StudyCommand implements Callable<Integer> {

    @Parameters(index = "0", paramLabel = "NAME", description = "many-leases, slow-node or observer")
    private String name = "";

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "N",
            description = "seconds of many-leases (180), rounds of the others (5, 10)")
    private int size;

    private final PrintStream out = System.out;

    @Override
    public Integer call() throws Exception {
        switch (name) {
            case "many-leases" ->
                new ManyLeases(
                                out,
                                20_000,
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(size > 0 ? size : 180),
                                Duration.ofSeconds(30))
                        .run()
                        .print(out);
            case "slow-node" ->
                new SlowNode(out, size > 0 ? size : 5, 200).run().print(out);
            case "observer" -> new ObserverCost(out, size > 0 ? size : 14, Duration.ofMillis(500)).run();
            default -> throw new IllegalArgumentException("no study is named " + name);
        }
        return 0;
    }
}
