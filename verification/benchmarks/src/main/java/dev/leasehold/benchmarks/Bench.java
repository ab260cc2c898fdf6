package dev.leasehold.benchmarks;

import dev.leasehold.benchmarks.report.Samples;
import dev.leasehold.benchmarks.server.RunningServers;
import dev.leasehold.benchmarks.server.StoreServer;
import dev.leasehold.benchmarks.worker.Shape;
import dev.leasehold.benchmarks.worker.WorkerGroup;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A bench has the tools that all ways of measuring need: the servers, the pace, the directory for results, and the progress
 * display.
 */
record Bench(RunningServers servers, Pace pace, Path directory, PrintStream out) {

    /** A measuring is something that is measured of one contestant. */
    interface Measuring {
        void measure() throws Exception;
    }

    StoreServer server(Workload workload, Contestant contestant) throws Exception {
        return servers.of(contestant.store(), workload.distance());
    }

    /** Names and versions of a workload's servers. */
    String versions(Workload workload) throws Exception {
        Set<String> versions = new LinkedHashSet<>();
        for (Contestant contestant : workload.contestants()) {
            versions.add(server(workload, contestant).version());
        }
        return String.join(", ", versions);
    }

    /** The name of a contestant's lock, which no other has. */
    static String lock(Workload workload, Contestant contestant) {
        return workload.name() + "-"
                + contestant.label().replaceAll("\\W+", "-").toLowerCase(Locale.ROOT);
    }

    WorkerGroup start(Workload workload, Contestant contestant, String lock, Shape shape) throws Exception {
        return WorkerGroup.start(
                contestant.peer(), jvm(contestant), server(workload, contestant), lock, shape, directory, log());
    }

    /** In a quick run the compiler that takes long is left out. */
    private List<String> jvm(Contestant contestant) {
        return pace.quick() ? List.of("-XX:TieredStopAtLevel=1") : contestant.jvm();
    }

    /** Returns the log that receives the complaints of the workers. */
    Path log() {
        return directory.resolve("workers.log");
    }

    static Map<Contestant, Samples> samples(Workload workload) {
        Map<Contestant, Samples> samples = new LinkedHashMap<>();
        workload.contestants().forEach(contestant -> samples.put(contestant, new Samples()));
        return samples;
    }

    /** Measures something, or notes that the contestant could not go on, which ends its part and not the run. */
    boolean survives(Contestant contestant, Samples samples, Measuring measuring) throws InterruptedException {
        try {
            measuring.measure();
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            samples.fail(String.valueOf(e.getMessage()));
            out.println("  " + contestant.label() + " has failed: " + e + "; see " + log());
            return false;
        }
    }

    void progress(String words) throws IOException {
        out.println("  " + words);
        out.flush();
    }
}
