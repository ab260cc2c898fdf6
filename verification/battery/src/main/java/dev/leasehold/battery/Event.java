package dev.leasehold.battery;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * An event is one line of a history: something that a worker of a client process saw of one of its calls, or something that
 * the battery did.
 *
 * <p>All times are nanoseconds of {@link System#nanoTime()}. On Linux that is {@code CLOCK_MONOTONIC}, which the kernel
 * keeps once for the whole machine and not per process; HotSpot returns it as it is. So the times of all processes of one
 * machine can be compared, and no setting of the wall clock changes them. In a process whose clocks are moved, {@link
 * MachineClock} takes the shim's part off. (In a time namespace of its own a process would see another clock: the battery
 * makes none.)
 *
 * <p>An event must not claim more than its writer knew. The time of a grant is read <b>before</b> the lease is seen to be
 * valid, and what a worker believed last is a time that it read <b>before</b> it saw the lease valid. So a process that
 * is stopped between any two steps writes a belief that is too short, never one that is too long.
 */
sealed interface Event {

    /** Returns when it happened, on the machine's monotonic clock. */
    long at();

    /** Returns {@code CLIENT/WORKER}, or the target of a fault. */
    String worker();

    /** An event of a call is what a worker saw of one of its calls, which it numbers. */
    sealed interface OfCall extends Event {
        long call();
    }

    /**
     * An asked event says that a lock was asked for; {@code share} is with how many at most, itself included, the hold
     * would coexist.
     */
    record Asked(long at, String worker, long call, String lock, int share) implements OfCall {}

    /**
     * A granted event says that the lock was granted, and the lease said that it is valid until {@code validUntil};
     * {@code slot} is -1 where there is none.
     */
    record Granted(long at, String worker, long call, long token, int slot, long validUntil) implements OfCall {}

    /** A renewed event says that the lease now says that it is valid for longer. */
    record Renewed(long at, String worker, long call, long validUntil) implements OfCall {}

    /** An at-risk event says that the lease is valid, but may be over soon. */
    record AtRisk(long at, String worker, long call) implements OfCall {}

    /** A lost event says that the listener of the lease was called: the lock is lost. */
    record Lost(long at, String worker, long call) implements OfCall {}

    /**
     * A released event says that the worker has ended its hold.
     *
     * @param believedUntil the last time of which the worker knew that the lease was valid
     * @param validUntil the latest end that the lease has ever stated
     * @param kept whether the lock was the worker's own until it gave it back
     */
    record Released(long at, String worker, long call, long believedUntil, long validUntil, boolean kept)
            implements OfCall {}

    /** A withdrawn call ended without a hold: busy, failed, or over on arrival. */
    record Withdrawn(long at, String worker, long call, String why) implements OfCall {}

    /** A stroke is what the battery did to a client or a server. */
    record Struck(long at, String worker, String fault) implements Event {}

    /** A healed event says that the battery has set right what it did. */
    record Healed(long at, String worker, String fault) implements Event {}

    /**
     * An away event says that from then until {@code until} the servers that a blow took were certainly away, so it lies
     * within that blow.
     *
     * @param most whether they are a majority of the servers
     */
    record Away(long at, String worker, boolean most, long until) implements Event {}

    /** Returns the event as one line, without its end. */
    default String toLine() {
        List<Object> parts =
                new ArrayList<>(List.of(getClass().getSimpleName().toLowerCase(Locale.ROOT), at(), worker()));
        if (this instanceof OfCall ofCall) {
            parts.add(ofCall.call());
        }
        if (this instanceof Asked asked) {
            parts.addAll(List.of(asked.lock, asked.share));
        } else if (this instanceof Granted granted) {
            parts.addAll(List.of(granted.token, granted.slot, granted.validUntil));
        } else if (this instanceof Renewed renewed) {
            parts.add(renewed.validUntil);
        } else if (this instanceof Released released) {
            parts.addAll(List.of(released.believedUntil, released.validUntil, released.kept));
        } else if (this instanceof Withdrawn withdrawn) {
            parts.add(withdrawn.why);
        } else if (this instanceof Struck struck) {
            parts.add(struck.fault);
        } else if (this instanceof Healed healed) {
            parts.add(healed.fault);
        } else if (this instanceof Away away) {
            parts.addAll(List.of(away.most, away.until));
        }
        return String.join(
                " ",
                parts.stream()
                        .map(part -> URLEncoder.encode(part.toString(), StandardCharsets.UTF_8))
                        .toList());
    }

    /**
     * Reads what {@link #toLine()} wrote.
     *
     * @throws IllegalArgumentException if the line is no event, as the last line of a killed process may be
     */
    static Event parse(String line) {
        String[] p = Stream.of(line.split(" ", -1))
                .map(part -> URLDecoder.decode(part, StandardCharsets.UTF_8))
                .toArray(String[]::new);
        try {
            long at = Long.parseLong(p[1]);
            return switch (p[0]) {
                case "asked" -> new Asked(at, p[2], number(p, 3), p[4], Integer.parseInt(p[5]));
                case "granted" ->
                    new Granted(at, p[2], number(p, 3), number(p, 4), Integer.parseInt(p[5]), number(p, 6));
                case "renewed" -> new Renewed(at, p[2], number(p, 3), number(p, 4));
                case "atrisk" -> new AtRisk(at, p[2], number(p, 3));
                case "lost" -> new Lost(at, p[2], number(p, 3));
                case "released" ->
                    new Released(at, p[2], number(p, 3), number(p, 4), number(p, 5), Boolean.parseBoolean(p[6]));
                case "withdrawn" -> new Withdrawn(at, p[2], number(p, 3), p[4]);
                case "struck" -> new Struck(at, p[2], p[3]);
                case "healed" -> new Healed(at, p[2], p[3]);
                case "away" -> new Away(at, p[2], Boolean.parseBoolean(p[3]), number(p, 4));
                default -> throw new IllegalArgumentException("no event: '" + line + "'");
            };
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException("half an event: '" + line + "'", e);
        }
    }

    private static long number(String[] parts, int index) {
        return Long.parseLong(parts[index]);
    }
}
