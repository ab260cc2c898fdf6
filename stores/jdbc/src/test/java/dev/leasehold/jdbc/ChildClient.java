package dev.leasehold.jdbc;

import dev.leasehold.jdbc.sqlite.ExpiryClock;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.ClaimAnswer.Granted;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.WaitingRules;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of the processes that tests start: takes and releases a lock until it is killed, or holds it, and says on
 * standard output what has been answered.
 */
public final class ChildClient {

    private ChildClient() {}

    public static void main(String[] args) throws Exception {
        Path file = Path.of(args[1]);
        String lock = args[2];
        Duration lease = Duration.ofMillis(Long.parseLong(args[3]));
        try (TestClient client = new TestClient(file, ExpiryClock.ofThisMachine(), "", Duration.ofSeconds(50))) {
            switch (args[0]) {
                case "cycle" -> cycle(client, lock, lease);
                case "append" -> append(client, lock, lease, Path.of(args[4]));
                case "hold" -> hold(client, lock, lease);
                default -> throw new IllegalArgumentException(args[0]);
            }
        }
    }

    /** Starts a process. */
    public static Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xshare:auto",
                "--class-path",
                System.getProperty("java.class.path"),
                ChildClient.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Says "granted T" when a grant has been answered, "releasing T" before and "released T" after the release. */
    private static void cycle(TestClient client, String lock, Duration lease) throws InterruptedException {
        while (true) {
            LeaseId held = acquire(client, lock, lease).lease();
            say("granted " + held.token());
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
            say("releasing " + held.token());
            client.release(held);
            say("released " + held.token());
            LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_000_000));
        }
    }

    /**
     * Writes "in T" and "out T" to a file that many processes write to, all of them under the lock; "late T" if the lease
     * may have run out before that was done, because the machine is too slow.
     */
    private static void append(TestClient client, String lock, Duration lease, Path log)
            throws IOException, InterruptedException {
        while (true) {
            Granted granted = acquire(client, lock, lease);
            LeaseId held = granted.lease();
            write(log, "in " + held.token());
            write(log, "out " + held.token());
            if (granted.validity().isOver(System.nanoTime())) {
                write(log, "late " + held.token());
            }
            client.release(held);
        }
    }

    private static void hold(TestClient client, String lock, Duration lease) throws IOException, InterruptedException {
        say("granted " + acquire(client, lock, lease).lease().token());
        String word = "";
        while (word != null) {
            word = client.doubts.poll(1, TimeUnit.MINUTES);
            say("doubt " + word);
        }
    }

    private static Granted acquire(TestClient client, String lock, Duration lease) throws InterruptedException {
        Claim claim = new Claim(client.newId(), lock, lease, 0, true);
        while (true) {
            if (client.ask(claim) instanceof Granted granted) {
                return granted;
            }
            client.grants.poll(WaitingRules.askEvery(lease).toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private static void write(Path log, String line) throws IOException {
        Files.write(
                log,
                (line + "\n").getBytes(StandardCharsets.UTF_8),
                StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
    }

    private static void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
