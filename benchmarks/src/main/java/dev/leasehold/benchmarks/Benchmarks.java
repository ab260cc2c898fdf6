package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.List;

/** Runs one of the benchmarks. */
public final class Benchmarks {

    private Benchmarks() {}

    public static void main(String[] args) throws Exception {
        int size = args.length > 1 ? Integer.parseInt(args[1]) : 0;
        switch (args.length == 0 ? "" : args[0]) {
            case "uncontended" ->
                Uncontended.print(
                        System.out,
                        new Uncontended(System.out, size > 0 ? size : 25, Duration.ofMillis(500)).run(Peer.ALL));
            case "duel" ->
                Uncontended.print(
                        System.out,
                        new Uncontended(System.out, size > 0 ? size : 25, Duration.ofMillis(500))
                                .run(List.of(BareLettuce::new, LeaseholdPeer::new)));
            case "many-leases" ->
                new ManyLeases(
                                System.out,
                                20_000,
                                Duration.ofSeconds(10),
                                Duration.ofSeconds(size > 0 ? size : 180),
                                Duration.ofSeconds(30))
                        .run()
                        .print(System.out);
            case "many-leases-short" ->
                new ManyLeases(
                                System.out,
                                size,
                                Duration.ofSeconds(8),
                                Duration.ofSeconds(6),
                                Duration.ofSeconds(9))
                        .run()
                        .print(System.out);
            default -> {
                System.err.println("usage: uncontended | hand-over | many-leases");
                System.exit(2);
            }
        }
        System.exit(0);
    }
}
