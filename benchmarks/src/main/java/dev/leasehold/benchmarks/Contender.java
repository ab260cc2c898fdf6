package dev.leasehold.benchmarks;

import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * A process that wants the lock again and again. Says when it is ready, begins when told on its standard input, and in the
 * end writes down when it asked and when it was granted what it asked for.
 */
final class Contender {

    /** Whom to compare; the first is the bare one. */
    static final List<String> KINDS =
            List.of("two bare scripts", "Leasehold", "Redisson", "Spring Integration", "Spring Integration, pub/sub");

    private static Peer peer(String kind, String redisUri, String lock) {
        return switch (kind) {
            case "two bare scripts" -> new BareQueue(redisUri, lock);
            case "Leasehold" -> new LeaseholdPeer(redisUri, lock);
            case "Redisson" -> new RedissonPeer(redisUri, lock);
            case "Spring Integration" -> SpringPeer.spinning(redisUri, lock);
            case "Spring Integration, pub/sub" -> SpringPeer.told(redisUri, lock);
            default -> throw new IllegalArgumentException("nothing is known by the name of " + kind);
        };
    }

    /** So many cycles before it is ready: then classes are loaded, also on a busy machine. */
    private static final int WARM_UP = 300;

    private Contender() {}

    private static final class Times {
        long[] all = new long[1 << 16];
        int used;

        void add(long asked, long given) {
            if (used == all.length) {
                all = Arrays.copyOf(all, 2 * used);
            }
            all[used++] = asked;
            all[used++] = given;
        }
    }

    /** A method of its own, so that it is compiled after some thousand cycles; a loop is only after many more. */
    private static void cycle(Peer peer, Times times) throws Exception {
        long asked = System.nanoTime();
        peer.acquire();
        times.add(asked, System.nanoTime());
        peer.release();
    }

    public static void main(String[] args) throws Exception {
        try (Peer peer = peer(args[0], args[1], args[2])) {
            for (int i = 0; i < WARM_UP; i++) {
                cycle(peer, new Times());
            }
            System.out.println("ready");
            long nanos = Long.parseLong(new BufferedReader(new InputStreamReader(System.in)).readLine());
            long end = System.nanoTime() + nanos;
            Times times = new Times();
            while (System.nanoTime() - end < 0) {
                cycle(peer, times);
            }
            try (DataOutputStream file =
                    new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(Path.of(args[3]))))) {
                for (int i = 0; i < times.used; i++) {
                    file.writeLong(times.all[i]);
                }
            }
        }
        System.exit(0);
    }
}
