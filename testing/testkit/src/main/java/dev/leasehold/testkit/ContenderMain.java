package dev.leasehold.testkit;

import dev.leasehold.DistributedLock;
import dev.leasehold.LeaderElection;
import dev.leasehold.Lease;
import dev.leasehold.LeaseState;
import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.StoreUnavailableException;
import dev.leasehold.testkit.HoldRecord.End;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A contender main is a process that contends for a lock: the other end of {@link ContenderProcess}. It reads orders
 * from standard input, one per line, and answers each with a line:
 *
 * <ul>
 *   <li>{@code acquire} → {@code held TOKEN};
 *   <li>{@code release} → {@code RELEASED} or {@code LOST};
 *   <li>{@code valid} → {@code true} or {@code false};
 *   <li>{@code count N} → {@code counted N}, after N times adding one to a number in a file under the lock;
 *   <li>{@code campaign} → {@code campaigning}, as a candidate for the office that has the lock's name;
 *   <li>{@code leads} → {@code true} if it leads and has written so into its log, else {@code false};
 *   <li>{@code resign} → {@code true} or {@code false};
 *   <li>{@code leave} → {@code left}, when the candidate is closed.
 * </ul>
 *
 * <p>All holds of {@code count} and all terms of the candidate are logged as {@link HoldRecord}s: first as open, so that
 * a killed process leaves a trace, then as they ended. Times are those of {@link System#nanoTime()}, which the processes
 * of one machine share.
 */
final class ContenderMain {

    private final String name;
    private final DistributedLock lock;
    private final LeaderElection election;
    private final Path counter;
    private final Path log;
    private @Nullable Lease held;
    private @Nullable LeadershipLog terms;

    private ContenderMain(String name, Leasehold leasehold, String lock, Path directory) {
        this.name = name;
        this.lock = leasehold.lock(lock);
        this.election = leasehold.election(lock);
        this.counter = directory.resolve("counter");
        this.log = directory.resolve(name + ".log");
    }

    /**
     * Runs until standard input ends.
     *
     * @param args the process's name, the store's URI, the lock's name, the lease in milliseconds, the directory
     * @throws Exception if something fails
     */
    public static void main(String[] args) throws Exception {
        LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(Long.parseLong(args[3])));
        try (Leasehold leasehold = Leasehold.builder()
                .uri(args[1])
                .storeTimeout(ClientFixture.LONGEST_WAIT)
                .label(args[0])
                .options(options)
                .build()) {
            connect(leasehold);
            new ContenderMain(args[0], leasehold, args[2], Path.of(args[4])).serve();
        }
    }

    /** Connects and loads classes, for as long as the test has patience: how long a JVM takes to start is not measured. */
    private static void connect(Leasehold leasehold) throws InterruptedException {
        for (boolean connected = false; !connected; ) {
            try {
                leasehold.locks("*");
                connected = true;
            } catch (StoreUnavailableException e) {
                System.err.println(e.getMessage());
                Thread.sleep(100);
            }
        }
    }

    private void serve() throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        answer("ready");
        for (String order = orders.readLine(); order != null; order = orders.readLine()) {
            answer(obey(order.split(" ", -1)));
        }
    }

    private static void answer(String line) {
        System.out.println(line);
        System.out.flush();
    }

    private String obey(String[] order) throws IOException, InterruptedException {
        return switch (order[0]) {
            case "acquire" -> {
                Lease lease = lock.acquire();
                held = lease;
                yield "held " + lease.token();
            }
            case "release" -> mine().release().toString();
            case "valid" -> Boolean.toString(mine().isValid());
            case "count" -> {
                for (int i = 0; i < Integer.parseInt(order[1]); i++) {
                    countOnce();
                }
                yield "counted " + order[1];
            }
            case "campaign" -> {
                election.start();
                terms = new LeadershipLog(name, election, this::logUnchecked);
                yield "campaigning";
            }
            case "leads" ->
                Boolean.toString(election.lease()
                        .filter(lease -> lease.token()
                                == StoreClient.present("the log", terms).written())
                        .isPresent());
            case "resign" -> Boolean.toString(election.resign());
            case "leave" -> {
                election.close();
                StoreClient.present("the log", terms).close();
                yield "left";
            }
            default -> throw new IllegalArgumentException("unknown order " + order[0]);
        };
    }

    private Lease mine() {
        return StoreClient.present("the lease", held);
    }

    private void countOnce() throws IOException, InterruptedException {
        long requested = System.nanoTime();
        try (Lease lease = lock.acquire()) {
            long acquired = System.nanoTime();
            if (!lease.isValid()) {
                log(HoldRecord.givenUp(name, lock.name(), requested, acquired));
                return;
            }
            long deadline = lease.remaining().toNanos() + System.nanoTime();
            log(new HoldRecord(
                    name, lock.name(), lease.token(), requested, acquired, HoldRecord.NEVER, deadline, End.OPEN));
            increment(lease.token());
            // Read as late as can be, since a process that is stopped meanwhile finds its lease renewed.
            deadline = lease.remaining().toNanos() + System.nanoTime();
            long now = System.nanoTime();
            boolean valid = lease.isValid();
            LeaseState state = lease.release();
            log(new HoldRecord(
                    name,
                    lock.name(),
                    lease.token(),
                    requested,
                    acquired,
                    valid ? now : acquired,
                    deadline,
                    valid && state == LeaseState.RELEASED ? End.RELEASED : End.LOST));
        }
    }

    /**
     * Reads, modifies and writes the number. The file is renamed into place, so that a killed process leaves a whole
     * file.
     */
    private void increment(long token) throws IOException {
        long count = 0;
        if (Files.exists(counter)) {
            String[] before = Files.readString(counter).split(" ", -1);
            count = Long.parseLong(before[0]);
            if (Long.parseLong(before[1]) >= token) {
                throw new IllegalStateException("token " + token + " writes after token " + before[1]);
            }
        }
        Path draft = counter.resolveSibling(name + ".draft");
        Files.writeString(draft, (count + 1) + " " + token);
        Files.move(draft, counter, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private void logUnchecked(HoldRecord record) {
        try {
            log(record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void log(HoldRecord record) throws IOException {
        Files.writeString(
                log,
                record.toLine() + "\n",
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND,
                StandardOpenOption.WRITE);
    }
}
