package dev.leasehold.benchmarks.worker;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.leasehold.benchmarks.peer.LockClient;
import dev.leasehold.benchmarks.peer.LockHandle;
import dev.leasehold.benchmarks.peer.Peer;
import dev.leasehold.benchmarks.peer.Target;
import dev.leasehold.benchmarks.server.StoreKind;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A worker process has one client of one library, and threads that cycle through its locks when the runner says so. It gets
 * on its standard input, a line for each command, and answers with a line on its standard output; it ends when its input
 * does.
 */
public final class WorkerMain {

    private final Peer peer;
    private final Target target;
    private final String lock;
    private final Shape shape;
    private final ExecutorService threads;
    private final List<WorkerThread> workers = new ArrayList<>();
    private final List<LockHandle> kept = new ArrayList<>();
    private final OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private long compiled;

    private WorkerMain(String[] args) {
        peer = Peer.named(args[0]);
        lock = args[3];
        shape = Shape.decoded(args[4]);
        target = new Target(StoreKind.named(args[1]), args[2], shape.lease(), shape.threads());
        threads = Executors.newFixedThreadPool(shape.threads());
    }

    /** Takes as arguments: contestant, store, URI, name of the lock, shape. */
    public static void main(String[] args) throws Exception {
        new WorkerMain(args).serve();
        Runtime.getRuntime().halt(0);
    }

    private void serve() throws Exception {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (LockClient client = peer.open(target)) {
            for (int i = 0; i < shape.threads(); i++) {
                workers.add(WorkerThread.of(client, shape, lock + "-" + i % shape.keys(), i));
            }
            System.out.println("ready");
            for (String line = commands.readLine(); line != null; line = commands.readLine()) {
                String[] parts = line.split(" ", -1);
                System.out.println(answer(client, parts));
                System.out.flush();
            }
        }
    }

    private String answer(LockClient client, String[] command) throws Exception {
        return switch (command[0]) {
            case "turn" -> turn(Long.parseLong(command[1]), Long.parseLong(command[2]), Path.of(command[3]));
            case "acquire" -> {
                workers.get(0).handle().acquire();
                yield "held " + System.nanoTime();
            }
            case "release" -> {
                workers.get(0).handle().release();
                yield "released";
            }
            case "hold" -> hold(client, Integer.parseInt(command[1]));
            case "cost" -> "cost " + system.getProcessCpuTime() + " " + allocated();
            default -> throw new IllegalArgumentException(command[0]);
        };
    }

    private String turn(long start, long end, Path file) throws Exception {
        long cpu = system.getProcessCpuTime();
        long bytes = allocated();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (WorkerThread worker : workers) {
            tasks.add(() -> {
                worker.turn(start, end);
                return null;
            });
        }
        for (Future<Void> done : threads.invokeAll(tasks)) {
            done.get();
        }
        bytes = allocated() - bytes;
        cpu = system.getProcessCpuTime() - cpu;
        List<GrantLog> logs = workers.stream().map(WorkerThread::log).toList();
        GrantLog.write(logs, file);
        return "done " + logs.stream().mapToInt(GrantLog::size).sum() + " " + cpu + " " + bytes + " " + compiling();
    }

    /** Returns how many milliseconds the compilers have worked since the last call, -1 if this JVM has none or does not say. */
    private long compiling() {
        CompilationMXBean compilers = ManagementFactory.getCompilationMXBean();
        if (compilers == null || !compilers.isCompilationTimeMonitoringSupported()) {
            return -1;
        }
        long before = compiled;
        compiled = compilers.getTotalCompilationTime();
        return compiled - before;
    }

    /** Acquires that many locks and keeps them: says how much more of the heap is in use. */
    private String hold(LockClient client, int count) throws Exception {
        long before = heap();
        List<Callable<List<LockHandle>>> tasks = new ArrayList<>();
        for (int i = 0; i < shape.threads(); i++) {
            int first = i;
            tasks.add(() -> {
                List<LockHandle> mine = new ArrayList<>();
                for (int n = first; n < count; n += shape.threads()) {
                    LockHandle handle = client.lock(lock + "-held-" + n);
                    handle.acquire();
                    mine.add(handle);
                }
                return mine;
            });
        }
        for (Future<List<LockHandle>> done : threads.invokeAll(tasks)) {
            kept.addAll(done.get());
        }
        return "holding " + kept.size() + " " + (heap() - before);
    }

    private static long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 3; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    private static long allocated() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long sum = 0;
        for (long each : threads.getThreadAllocatedBytes(threads.getAllThreadIds())) {
            sum += Math.max(0, each);
        }
        return sum;
    }
}
