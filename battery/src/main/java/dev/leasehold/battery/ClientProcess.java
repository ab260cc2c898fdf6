package dev.leasehold.battery;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A client process, as the battery sees it: {@link ClientMain} with a way to the store of its own. */
final class ClientProcess implements AutoCloseable {

    private final String name;
    private final StoreUnderTest.Way way;
    private final Process process;

    private ClientProcess(String name, StoreUnderTest.Way way, Process process) {
        this.name = name;
        this.way = way;
        this.process = process;
    }

    static ClientProcess start(String name, StoreUnderTest.Way way, Plan plan, long seed, Path history)
            throws IOException {
        Process process = Jvm.start(
                List.of("-Xmx64m", "--enable-native-access=ALL-UNNAMED"),
                ClientMain.class.getName(),
                List.of(
                        name,
                        way.uri(),
                        Long.toString(plan.lease().toMillis()),
                        Long.toString(seed),
                        history.toString(),
                        plan.worker().name()),
                history.resolve(name + ".out"));
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        return new ClientProcess(name, way, process);
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

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
        way.close();
    }

    /** Orders the client to end. */
    void finish() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It has ended already.
        }
    }

    /** Waits for it to end as it was ordered to, without an error. */
    boolean hasEndedWithin(long seconds) throws InterruptedException {
        return process.waitFor(seconds, TimeUnit.SECONDS) && process.exitValue() == 0;
    }

    @Override
    public void close() {
        process.destroyForcibly();
        way.close();
    }
}
