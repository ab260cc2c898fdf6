package dev.leasehold.battery;

import dev.leasehold.Leasehold;
import dev.leasehold.LockException;
import dev.leasehold.LockOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client process of the battery: one client with a few workers, until its standard input ends. */
final class ClientMain {

    private static final int WORKERS = 2;
    private static final Duration CONNECTING = Duration.ofSeconds(30);
    private static final Duration STORE_TIMEOUT = Duration.ofSeconds(3);
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private ClientMain() {}

    /**
     * Runs until standard input ends, then ends its holds and closes the client.
     *
     * @param args the process's name, the store's URI, the lease in milliseconds, the seed, the directory of the history, the {@link
     *     Worker.Kind}
     * @throws Exception if something fails that is not the store's
     */
    public static void main(String[] args) throws Exception {
        String name = args[0];
        Duration lease = Duration.ofMillis(Long.parseLong(args[2]));
        Worker.Kind kind = Worker.Kind.valueOf(args[5]);
        LockOptions options =
                LockOptions.defaults().withLeaseDuration(lease).withAutoRenew(kind == Worker.Kind.CAREFUL);
        try (History history = History.open(Path.of(args[4]), name);
                Leasehold leasehold = Leasehold.builder()
                        .uri(args[1])
                        .label(name)
                        .options(options)
                        .storeTimeout(STORE_TIMEOUT)
                        .build()) {
            connect(leasehold);
            List<Worker> workers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            Random seeds = new Random(Long.parseLong(args[3]));
            for (int i = 0; i < WORKERS; i++) {
                Worker worker =
                        new Worker(name + "/" + i, leasehold, history, lease, new Random(seeds.nextLong()), kind);
                workers.add(worker);
                Thread thread = new Thread(worker, "battery-worker-" + i);
                thread.setUncaughtExceptionHandler((broken, e) -> {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(1);
                });
                thread.start();
                threads.add(thread);
            }
            while (System.in.read() >= 0) {
                // It says nothing; its end is the order to end.
            }
            workers.forEach(Worker::finish);
            for (Thread thread : threads) {
                thread.join(CLOSING.toMillis());
                thread.interrupt();
                thread.join();
            }
        }
        System.exit(0);
    }

    /** Connects, and loads classes: how long a JVM takes to start is not what is judged. */
    private static void connect(Leasehold leasehold) throws InterruptedException {
        long end = System.nanoTime() + CONNECTING.toNanos();
        while (true) {
            try {
                leasehold.check();
                return;
            } catch (LockException e) {
                if (System.nanoTime() - end > 0) {
                    throw e;
                }
                Thread.sleep(100); // After a failure the next ones come at once for a while.
            }
        }
    }
}
