package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.List;

/** Runs one of the benchmarks. */
public final class Benchmarks {

    private Benchmarks() {}

    public static void main(String[] args) throws Exception {
        switch (args.length == 0 ? "" : args[0]) {
            case "uncontended" ->
                Uncontended.print(System.out, new Uncontended(System.out, 15, Duration.ofMillis(500)).run(Peer.ALL));
            case "duel" ->
                Uncontended.print(
                        System.out,
                        new Uncontended(
                                        System.out,
                                        args.length > 1 ? Integer.parseInt(args[1]) : 15,
                                        Duration.ofMillis(500))
                                .run(List.of(BareLettuce::new, LeaseholdPeer::new)));
            default -> {
                System.err.println("usage: uncontended | hand-over | renewal");
                System.exit(2);
            }
        }
        System.exit(0);
    }
}
