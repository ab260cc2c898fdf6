package dev.leasehold.battery;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A client process of the battery runs one client with a few workers, until its standard input ends. */
final class ClientMain {

    /** This order has the workers ask for nothing. */
    static final char REST = 'r';

    /** This order has them go on. */
    static final char GO_ON = 'g';

    /** This order has the process write {@link ClientGauges} to the console. */
    static final char MEASURE = 'm';

    private static final int WORKERS = 2;
    private static final long STALL_NANOS = 150_000_000;
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private ClientMain() {}

    /**
     * Runs until standard input ends, then ends its holds and closes the client.
     *
     * @param args the process's name, the store's URI, the lease in milliseconds, the seed, the directory of the history, the {@link
     *     Worker.Kind}, the {@link Peer}, the {@link StoreKind}; and how many further locks to use, or nothing
     * @throws Exception if something fails that is not the store's
     */
    public static void main(String[] args) throws Exception {
        String name = args[0];
        Duration lease = Duration.ofMillis(Long.parseLong(args[2]));
        Worker.Kind kind = Worker.Kind.valueOf(args[5]);
        try (History history = History.open(Path.of(args[4]), name);
                Locks locks = Peer.valueOf(args[6])
                        .locks(StoreKind.valueOf(args[7]), args[1], name, lease, kind == Worker.Kind.CAREFUL)) {
            if (args.length > 8 && locks instanceof LeaseholdLocks ours) {
                ours.useFurther(Integer.parseInt(args[8]));
            }
            locks.connect();
            watchForStalls();
            List<Worker> workers = new ArrayList<>();
            List<Thread> threads = new ArrayList<>();
            Random seeds = new Random(Long.parseLong(args[3]));
            for (int i = 0; i < WORKERS; i++) {
                Worker worker = new Worker(name + "/" + i, locks, history, lease, new Random(seeds.nextLong()), kind);
                workers.add(worker);
                Thread thread = new Thread(worker, "battery-worker-" + i);
                thread.setUncaughtExceptionHandler((broken, e) -> {
                    e.printStackTrace();
                    Runtime.getRuntime().halt(1);
                });
                thread.start();
                threads.add(thread);
            }
            for (int order = System.in.read(); order >= 0; order = System.in.read()) {
                obey(order, workers);
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

    /** Carries out the orders that come by standard input. */
    private static void obey(int order, List<Worker> workers) {
        switch (order) {
            case REST -> workers.forEach(worker -> worker.rest(true));
            case GO_ON -> workers.forEach(worker -> worker.rest(false));
            case MEASURE -> System.out.println(ClientGauges.now().toLine());
            default -> {
                // A line's end, say.
            }
        }
    }

    /** Writes to the console when the machine did not let this process run: delays of that time are not the library's. */
    private static void watchForStalls() {
        Thread thread = new Thread(
                () -> {
                    try {
                        for (long before = MachineClock.nanoTime(); ; ) {
                            Thread.sleep(20);
                            long now = MachineClock.nanoTime();
                            if (now - before > STALL_NANOS) {
                                System.out.println("stalled for " + (now - before) / 1_000_000 + " ms until " + now);
                            }
                            before = now;
                        }
                    } catch (InterruptedException e) {
                        // It is not interrupted.
                    }
                },
                "battery-stalls");
        thread.setDaemon(true);
        thread.start();
    }
}
