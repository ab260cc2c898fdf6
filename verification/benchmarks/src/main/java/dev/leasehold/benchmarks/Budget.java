package dev.leasehold.benchmarks;

import java.time.Duration;
import java.util.List;

/**
 * A budget says how long workloads take, and how long turns may be so that all of them are done in time. What is left of the time after the
 * warm-up is for the turns. The warm-up is not shortened: with three seconds of it, and turns of less than half a second, the
 * JVM's second compiler was at work in all rounds, and a contestant with less code to compile looked faster. How long it will be
 * is a guess, so turns are set anew before each workload from the time that is left.
 */
final class Budget {

    private static final double SERVERS = 4;
    private static final double PROCESS_START = 0.8;
    private static final double BETWEEN_TURNS = 0.06;
    private static final double SHORTEST_TURN = 0.2;
    private static final double LONGEST_TURN = 5;

    private Budget() {}

    /** Returns a pace at which these workloads take so many minutes, or as near to it as sense allows. */
    static Pace within(double minutes, List<Workload> workloads, int rounds, Duration warmUp) {
        double turns = 0;
        for (Workload workload : workloads) {
            if (workload.mode() == Workload.Mode.THROUGHPUT) {
                turns += workload.contestants().size() * rounds;
            }
        }
        Pace without = new Pace(rounds, Duration.ZERO, warmUp, false);
        double left = minutes * 60 - seconds(without, workloads);
        double turn = turns == 0 ? 1 : Math.min(LONGEST_TURN, Math.max(SHORTEST_TURN, left / turns));
        return new Pace(rounds, millis(turn), warmUp, false);
    }

    /** Returns about how many seconds it takes. */
    static double seconds(Pace pace, List<Workload> workloads) {
        double seconds = 0;
        for (Workload workload : workloads) {
            seconds += fixedSeconds(workload, pace.rounds());
            if (workload.mode() == Workload.Mode.THROUGHPUT) {
                seconds += workload.contestants().size()
                        * (pace.rounds() * pace.turn().toMillis() / 1e3
                                + pace.expectedWarmUp(workload.shape().processes()));
            }
        }
        return seconds;
    }

    /** Returns about how many minutes it takes, and how many if the warm-up takes all the time that it may. */
    static String words(Pace pace, List<Workload> workloads) {
        long minutes = minutes(seconds(pace, workloads));
        long most = minutes(mostSeconds(pace, workloads));
        return minutes
                + (minutes == 1 ? " minute" : " minutes")
                + (most > minutes ? " (" + most + " if the JVMs never stop compiling)" : "");
    }

    private static long minutes(double seconds) {
        return Math.max(1, Math.round(seconds / 60));
    }

    /** Returns about how many seconds it takes if the JVMs never stop compiling. */
    static double mostSeconds(Pace pace, List<Workload> workloads) {
        double seconds = seconds(pace, workloads);
        for (Workload workload : workloads) {
            if (workload.mode() == Workload.Mode.THROUGHPUT && !pace.quick()) {
                seconds += workload.contestants().size()
                        * (pace.warmUp().toMillis() / 1e3
                                - pace.expectedWarmUp(workload.shape().processes()));
            }
        }
        return seconds;
    }

    private static double fixedSeconds(Workload workload, int rounds) {
        int contestants = workload.contestants().size();
        double starts = contestants * workload.shape().processes() * PROCESS_START;
        double lease = workload.shape().lease().toMillis() / 1e3;
        return switch (workload.mode()) {
            case THROUGHPUT -> SERVERS + starts + contestants * (rounds * BETWEEN_TURNS + 1);
            case KILLED_HALF -> SERVERS + KilledHalf.rounds(rounds) * (starts + contestants * (3 * lease + 8));
            case KILLED_HOLDER -> SERVERS + Math.min(7, rounds) * (starts / 2 + 2 * lease);
            case FIRST -> contestants * (rounds + 1) * 1.5;
            case HELD -> contestants * (60 + workload.count() / 4_000.0);
        };
    }

    private static Duration millis(double seconds) {
        return Duration.ofMillis(Math.round(seconds * 1e3));
    }
}
