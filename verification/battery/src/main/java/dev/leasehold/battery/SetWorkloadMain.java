package dev.leasehold.battery;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A workload main is a client process of a {@link SetWorkload}: under the lock it reads the set, works for a while, and writes
 * it back with one number more. It never looks at its lease meanwhile, as most programs do not. Where the lock is a
 * writer's, a second thread reads under the reader's lock, twice in each hold.
 */
final class SetWorkloadMain {

    private static final int WORK_MILLIS = 150;

    private final String name;
    private final Locks locks;
    private final int port;
    private final int first;
    private final Random random;
    private final AtomicBoolean finishing = new AtomicBoolean();
    private int added;

    private SetWorkloadMain(String name, Locks locks, int port, Random random) {
        this.name = name;
        this.locks = locks;
        this.port = port;
        this.random = random;
        first = 100_000 * Integer.parseInt(name.substring(name.lastIndexOf('-') + 1));
    }

    /**
     * Runs until standard input ends.
     *
     * @param args as those of {@link ClientMain}, then the set's port and whether readers take part
     * @throws Exception if something fails that is not the store's
     */
    public static void main(String[] args) throws Exception {
        boolean shared = Boolean.parseBoolean(args[9]);
        try (Locks locks = Peer.valueOf(args[6])
                .locks(
                        StoreKind.valueOf(args[7]),
                        args[1],
                        args[0],
                        Duration.ofMillis(Long.parseLong(args[2])),
                        true)) {
            locks.connect();
            Random random = new Random(Long.parseLong(args[3]));
            SetWorkloadMain main = new SetWorkloadMain(args[0], locks, Integer.parseInt(args[8]), random);
            List<Thread> threads = new ArrayList<>();
            threads.add(main.start(main::add, shared ? locks.writer() : locks.mutex()));
            if (shared) {
                threads.add(main.start(main::compare, locks.reader()));
            }
            while (System.in.read() >= 0) {
                // It says nothing; its end is the order to end.
            }
            main.finishing.set(true);
            for (Thread thread : threads) {
                thread.join(5_000);
                thread.interrupt();
                thread.join(5_000);
            }
        }
        System.exit(0);
    }

    private interface Section {
        void run(GuardedSetServer.Remote set, long token);
    }

    private Thread start(Section section, Locks.Wanted wanted) {
        Thread thread = new Thread(() -> again(section, wanted), "battery-worker");
        thread.start();
        return thread;
    }

    private void again(Section section, Locks.Wanted wanted) {
        try (GuardedSetServer.Remote set = new GuardedSetServer.Remote(port)) {
            while (!finishing.get()) {
                try {
                    Locks.Hold hold = locks.acquire(wanted);
                    section.run(set, hold.token());
                    hold.release();
                } catch (Locks.Failed e) {
                    // Asked again.
                }
                LockSupport.parkNanos(random.nextInt(20) * 1_000_000L);
            }
        } catch (InterruptedException e) {
            // The end was ordered while it waited.
        } catch (java.io.IOException e) {
            e.printStackTrace();
        }
    }

    private void work() {
        LockSupport.parkNanos((20 + random.nextInt(WORK_MILLIS)) * 1_000_000L);
    }

    private void add(GuardedSetServer.Remote set, long token) {
        Optional<String> read = set.open(name, token);
        if (read.isPresent()) {
            work();
            set.write(token, read.get(), first + added++);
        }
    }

    private void compare(GuardedSetServer.Remote set, long token) {
        Optional<String> before = set.look(token);
        if (before.isPresent()) {
            work();
            set.look(token).ifPresent(after -> set.compared(after.equals(before.get())));
        }
    }
}
