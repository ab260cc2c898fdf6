package dev.leasehold.benchmarks;

import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs one of the benchmarks. */
public final class Benchmarks {

    private static final PrintStream OUT = System.out;

    private Benchmarks() {}

    public static void main(String[] args) throws Exception {
        String which = args.length == 0 ? "" : args[0];
        int size = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        switch (which) {
            case "uncontended" -> uncontended(size > 0 ? size : 25);
            case "quorum" -> quorum(size > 0 ? size : 25);
            case "slow-node" ->
                new SlowNode(OUT, size > 0 ? size : 5, 200).run().print(OUT);
            case "hand-over" ->
                handOver(
                        size > 0 ? size : 1,
                        args.length > 2 ? Integer.parseInt(args[2]) : 30,
                        args.length > 3 ? List.of(Integer.parseInt(args[3])) : List.of(4, 8),
                        args.length > 4 ? List.of(args).subList(4, args.length) : Contender.KINDS);
            case "observer" -> new ObserverCost(OUT, size > 0 ? size : 14, Duration.ofMillis(500)).run();
            case "many-leases" -> manyLeases(size > 0 ? size : 180);
            default -> {
                System.err.println(
                        "usage: uncontended [ROUNDS] | quorum [ROUNDS] | slow-node [ROUNDS] | hand-over [ROUNDS [SECONDS [PROCESSES [PEER ...]]]] | many-leases [SECONDS] | observer [ROUNDS]");
                System.exit(2);
            }
        }
        System.exit(0);
    }

    private static void uncontended(int rounds) throws Exception {
        Uncontended.print(OUT, new Uncontended(OUT, rounds, Duration.ofMillis(500)).run(Peer.ALL));
    }

    private static void quorum(int rounds) throws Exception {
        Uncontended.print(OUT, new Uncontended(OUT, rounds, Duration.ofMillis(500)).runQuorum());
    }

    private static void handOver(int rounds, int seconds, List<Integer> processes, List<String> kinds)
            throws Exception {
        HandOver handOver = new HandOver(OUT, rounds, Duration.ofSeconds(seconds));
        List<HandOver.Result> results = new ArrayList<>();
        for (int count : processes) {
            results.addAll(handOver.run(kinds, count));
        }
        HandOver.print(OUT, results);
    }

    private static void manyLeases(int seconds) throws Exception {
        new ManyLeases(OUT, 20_000, Duration.ofSeconds(10), Duration.ofSeconds(seconds), Duration.ofSeconds(30))
                .run()
                .print(OUT);
    }
}
