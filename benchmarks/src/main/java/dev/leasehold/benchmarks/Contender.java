package dev.leasehold.benchmarks;

import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * A process that wants the lock again and again. Says when it is ready, begins when told on its standard input, and in the
 * end writes down when it asked and when it was granted what it asked for.
 */
final class Contender {

    static final Map<String, Peer.Maker> KINDS = Map.of(
            "two bare scripts", BareQueue::new,
            "Leasehold", LeaseholdPeer::new,
            "Redisson", RedissonPeer::new,
            "Spring Integration", SpringPeer::spinning,
            "Spring Integration, pub/sub", SpringPeer::told);

    private Contender() {}

    public static void main(String[] args) throws Exception {
        try (Peer peer = KINDS.get(args[0]).make(args[1], args[2])) {
            peer.acquire();
            peer.release();
            System.out.println("ready");
            long nanos = Long.parseLong(new BufferedReader(new InputStreamReader(System.in)).readLine());
            long end = System.nanoTime() + nanos;
            long[] times = new long[1 << 16];
            int used = 0;
            for (long asked = System.nanoTime(); asked - end < 0; asked = System.nanoTime()) {
                peer.acquire();
                if (used == times.length) {
                    times = Arrays.copyOf(times, 2 * used);
                }
                times[used++] = asked;
                times[used++] = System.nanoTime();
                peer.release();
            }
            try (DataOutputStream file =
                    new DataOutputStream(new java.io.BufferedOutputStream(Files.newOutputStream(Path.of(args[3]))))) {
                for (int i = 0; i < used; i++) {
                    file.writeLong(times[i]);
                }
            }
        }
        System.exit(0);
    }
}
