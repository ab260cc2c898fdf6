package dev.leasehold.redis.node;

import dev.leasehold.LockException;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.spi.NamePattern;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * A lock lister lists locks: it looks at the only one that is asked for, or finds their keys in many small steps, so that the
 * server serves others in between, and looks at each.
 */
final class LockLister {

    /** Of a million keys of others, such a step took 0.2 ms, and one of 1,000 took 0.9 ms; the whole took no longer. */
    private static final int STEP = 250;

    /** A caller in the same client has so many looks before its own request at most. */
    private static final int WINDOW = 100;

    private record Step(String cursor, List<String> names) {}

    private final RedisNode node;
    private final long end;
    private final long limitNanos;

    /** Makes one whose steps end a little before its caller gives up: nobody waits for more of them. */
    LockLister(RedisNode node, Duration storeTimeout) {
        this.node = node;
        limitNanos = storeTimeout.toNanos() / 10 * 9;
        end = node.nanos() + limitNanos;
    }

    CompletionStage<List<LockInfo>> list(NamePattern pattern) {
        String only = pattern.onlyName();
        if (only != null) {
            return lookAt(List.of(only), new ArrayList<>(), 0);
        }
        return scan("0", pattern, new TreeSet<>(), 1)
                .thenCompose(names -> lookAt(List.copyOf(names), new ArrayList<>(), 0));
    }

    private CompletionStage<NavigableSet<String>> scan(
            String cursor, NamePattern pattern, NavigableSet<String> found, int steps) {
        CommandArgs<String, String> args = new CommandArgs<>(RedisConnection.CODEC)
                .add(cursor)
                .add("MATCH")
                .add(node.names().everyKey())
                .add("COUNT")
                .add(STEP);
        return node.scripts()
                .ask("the listing of locks", CommandType.SCAN, args, (sentAt, answer) -> step(answer))
                .thenCompose(step -> {
                    step.names().stream().filter(pattern::matches).forEach(found::add);
                    if (step.cursor().equals("0")) {
                        return CompletableFuture.completedFuture(found);
                    }
                    return node.nanos() - end < 0
                            ? scan(step.cursor(), pattern, found, steps + 1)
                            : CompletableFuture.failedFuture(unended(steps, found.size()));
                });
    }

    private LockException unended(int steps, int found) {
        return ended("it has looked through some " + steps * (long) STEP + " keys of the server, found " + found
                + " names of locks among them, and there are more keys");
    }

    private LockException unlooked(int found, int looked) {
        return ended("it has found " + found + " names of locks, and looked at " + looked + " of them");
    }

    private LockException ended(String why) {
        return new LockException("the listing of locks at " + node + " was ended after "
                + DurationText.of(Duration.ofNanos(limitNanos)) + ": " + why
                + ". Ask for a lock by its name, or raise the storeTimeout; nothing was changed");
    }

    private Step step(List<Object> answer) {
        List<String> names = new ArrayList<>();
        if (answer.get(1) instanceof List<?> keys) {
            for (Object key : keys) {
                String name = node.names().nameOf(String.valueOf(key));
                if (name != null) {
                    names.add(name);
                }
            }
        }
        return new Step(answer.get(0).toString(), names);
    }

    /** Looks at some of the names at a time, so that the server serves others in between, and the rest can be left out. */
    private CompletionStage<List<LockInfo>> lookAt(List<String> names, List<LockInfo> found, int from) {
        int to = Math.min(from + WINDOW, names.size());
        List<CompletableFuture<Optional<LockInfo>>> looks = new ArrayList<>(to - from);
        for (String name : names.subList(from, to)) {
            looks.add(node.inspect(name).toCompletableFuture());
        }
        return CompletableFuture.allOf(looks.toArray(CompletableFuture<?>[]::new))
                .thenCompose(all -> {
                    looks.stream()
                            .map(CompletableFuture::join)
                            .flatMap(Optional::stream)
                            .forEach(found::add);
                    if (to == names.size()) {
                        found.sort(Comparator.comparing(LockInfo::name));
                        return CompletableFuture.completedFuture(found);
                    }
                    return node.nanos() - end < 0
                            ? lookAt(names, found, to)
                            : CompletableFuture.failedFuture(unlooked(names.size(), to));
                });
    }
}
