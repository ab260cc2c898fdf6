package dev.leasehold.benchmarks.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The CSV has all values of a run, a line for each: workload, contestant, metric, round, value. */
final class Csv {

    private Csv() {}

    static String of(List<Outcome> outcomes) {
        List<String> lines = new ArrayList<>();
        lines.add("workload,contestant,metric,round,value");
        for (Outcome outcome : outcomes) {
            outcome.samples().forEach((contestant, samples) -> {
                for (Map.Entry<Metric, List<Double>> each : samples.all().entrySet()) {
                    for (int round = 0; round < each.getValue().size(); round++) {
                        lines.add(outcome.name() + ",\"" + contestant + "\","
                                + each.getKey().word() + "," + (round + 1) + ","
                                + each.getValue().get(round));
                    }
                }
            });
        }
        return String.join("\n", lines) + "\n";
    }
}
