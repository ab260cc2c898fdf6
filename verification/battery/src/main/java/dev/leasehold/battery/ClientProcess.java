package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A client process is a JVM, as the battery sees it, that runs {@link ClientMain} with a way to the store of its own.
 */
final class ClientProcess implements AutoCloseable {

    private final String name;
    private final StoreUnderTest.Way way;
    private final ClockShim clock;
    private final Process process;

    private ClientProcess(String name, StoreUnderTest.Way way, ClockShim clock, Process process) {
        this.name = name;
        this.way = way;
        this.clock = clock;
        this.process = process;
    }

    static ClientProcess start(String name, StoreUnderTest.Way way, Plan plan, long seed, Path history)
            throws IOException {
        return start(name, way, plan, seed, history, ClientMain.class, List.of());
    }

    /** Starts a process with another main class, and arguments behind those of {@link ClientMain}. */
    static ClientProcess start(
            String name, StoreUnderTest.Way way, Plan plan, long seed, Path history, Class<?> main, List<String> more)
            throws IOException {
        ClockShim clock = plan.fault().suspendsClients() ? ClockShim.create(history.resolve(name + ".clock")) : null;
        Process process = Jvm.start(
                List.of("-Xmx64m", "--enable-native-access=ALL-UNNAMED"),
                clock == null ? Map.of() : clock.environment(),
                main.getName(),
                Stream.concat(
                                Stream.of(
                                        name,
                                        way.uri(),
                                        Long.toString(plan.lease().toMillis()),
                                        Long.toString(seed),
                                        history.toString(),
                                        plan.worker().name(),
                                        plan.peer().name(),
                                        plan.store().name()),
                                more.stream())
                        .toList(),
                history.resolve(name + ".out"));
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new ClientProcess(name, way, clock, process);
    }

    String name() {
        return name;
    }

    StoreUnderTest.Way way() {
        return way;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    void signal(String signal) throws IOException, InterruptedException {
        Jvm.signal(process, signal);
    }

    /** Stops the process, as a machine stops that falls asleep. */
    void fallAsleep() throws IOException, InterruptedException {
        Jvm.stop(process);
    }

    /** Lets the process go on after such a time. */
    void wakeUp(Duration slept) throws IOException, InterruptedException {
        clock.sleptFor(slept.toNanos() / 1_000);
        Jvm.signal(process, "CONT");
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        way.close();
    }

    /** Gives the client one of the orders of {@link ClientMain}. */
    void order(char order) throws IOException {
        process.getOutputStream().write(order);
        process.getOutputStream().flush();
    }

    /** Orders the client to end. */
    void finish() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended already.
        }
    }

    /** Waits for the client to end as it was ordered to, and returns whether it did, without an error. */
    boolean hasEndedWithin(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        way.close();
    }
}
