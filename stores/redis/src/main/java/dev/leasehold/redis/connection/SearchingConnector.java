package dev.leasehold.redis.connection;

import dev.leasehold.internal.Causes;
import dev.leasehold.internal.Guard;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/**
 * A searching connector finds, among several servers, the one that is wanted. It asks all at once, so that a silent one
 * keeps nobody out.
 *
 * <p>It waits for the silent ones for a second, since there may be another master among them. Then it takes the master that it has; or, if
 * a replica has answered, it gives up, because that may have become the master meanwhile. After each such search it waits for longer in the
 * next, up to four seconds: the master may be slow.
 *
 * <p>A refusal is for good only if it is that of all. One server may refuse what the master, which is down, would not.
 */
public final class SearchingConnector implements Connector {

    private static final Logger LOG = System.getLogger("dev.leasehold.redis");
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(10);

    /** What is looked for. */
    public enum Wanted {
        /** The only one that says that it is a master; two are refused. */
        ONLY_MASTER,
        /** The first that can be reached: each is the way over one sentinel to the master that it names. */
        FIRST,
        /** Any server. They are asked in turn, and the next where one has failed, or has been silent for a second. */
        ANY
    }

    /**
     * Patience is how long a search waits for silent servers.
     *
     * @param first at first
     * @param most at most, after searches that found nothing
     */
    public record Patience(Duration first, Duration most) {

        /** Returns what an attempt to connect has room for: it may last half of the time-out. */
        public static Patience within(Duration storeTimeout) {
            return new Patience(
                    atMost(Duration.ofSeconds(1), storeTimeout.dividedBy(4)),
                    atMost(Duration.ofSeconds(4), storeTimeout.multipliedBy(2).dividedBy(5)));
        }

        private static Duration atMost(Duration most, Duration duration) {
            return duration.compareTo(most) < 0 ? duration : most;
        }
    }

    private final String name;
    private final Supplier<List<Connector>> servers;
    private final Wanted wanted;
    private final TimeSource time;
    private final Patience bounds;
    private volatile Duration patience;

    /**
     * Makes a connector.
     *
     * @param servers which, at the moment
     */
    public SearchingConnector(
            String name, Supplier<List<Connector>> servers, Wanted wanted, TimeSource time, Patience bounds) {
        this.name = name;
        this.servers = servers;
        this.wanted = wanted;
        this.time = time;
        this.bounds = bounds;
        patience = bounds.first();
    }

    @Override
    public CompletionStage<? extends StatefulRedisConnection<String, String>> connect() {
        return search().thenApply(connection -> {
            if (wanted == Wanted.ONLY_MASTER) {
                lookLater(connection);
            }
            return connection;
        });
    }

    private CompletionStage<StatefulRedisConnection<String, String>> search() {
        return new Search<StatefulRedisConnection<String, String>>(Connector::connect).begin();
    }

    /**
     * Looks for a second master as long as a connection is open. A master with as many replicas as there are other servers is
     * the only one, and needs no search. Where there are two, the connection ends, and the next is refused.
     */
    private void lookLater(StatefulRedisConnection<String, String> connection) {
        time.schedule(BETWEEN_LOOKS, () -> {
            if (connection.isOpen()) {
                connection.async().role().whenComplete((role, unknown) -> {
                    if (isMaster(role)
                            && role.get(2) instanceof List<?> replicas
                            && replicas.size() >= servers.get().size() - 1) {
                        lookLater(connection);
                    } else {
                        search().whenComplete((master, why) -> looked(connection, master, why));
                    }
                });
            }
        });
    }

    private void looked(
            StatefulRedisConnection<String, String> connection,
            @Nullable StatefulRedisConnection<String, String> master,
            @Nullable Throwable why) {
        if (master != null) {
            master.closeAsync();
        }
        if (why instanceof TwoMastersException && connection.isOpen()) {
            LOG.log(
                    Level.WARNING,
                    "no lock is granted any more: {0}. {1}",
                    why.getMessage(),
                    TwoMastersException.REMEDY);
            connection.async().quit();
        } else {
            lookLater(connection);
        }
    }

    private static boolean isMaster(@Nullable List<Object> role) {
        return role != null && !role.isEmpty() && "master".equals(String.valueOf(role.get(0)));
    }

    @Override
    public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> listen() {
        return new Search<StatefulRedisPubSubConnection<String, String>>(Connector::listen).begin();
    }

    @Override
    public String toString() {
        return name;
    }

    private final class Search<C extends StatefulRedisConnection<String, String>> {

        private final List<Connector> from = servers.get();
        private final Function<Connector, CompletionStage<? extends C>> open;
        private final CompletableFuture<C> found = new CompletableFuture<>();

        private final Guard mutex = new Guard();
        private final Map<Connector, C> wantedOnes = new LinkedHashMap<>();
        private final Map<Connector, Optional<Throwable>> others = new LinkedHashMap<>();
        private int asked;
        private boolean late;
        private boolean over;

        Search(Function<Connector, CompletionStage<? extends C>> open) {
            this.open = open;
        }

        CompletionStage<C> begin() {
            if (from.isEmpty()) {
                decide();
            }
            for (int i = 0; i < (wanted == Wanted.ANY ? Math.min(1, from.size()) : from.size()); i++) {
                askNext();
            }
            hurryLater();
            later(bounds.most(), this::giveUp);
            return found;
        }

        private void later(Duration delay, Runnable what) {
            TimeSource.Timer timer = time.schedule(delay, what);
            found.whenComplete((connection, why) -> timer.cancel());
        }

        private void hurryLater() {
            later(patience, this::hurry);
        }

        private void hurry() {
            mutex.lock();
            try {
                late = true;
            } finally {
                mutex.unlock();
            }
            if (wanted == Wanted.ANY && askNext()) {
                hurryLater();
            }
            decide();
        }

        /** Says which were asked, before the attempt ends without a word of them. */
        private void giveUp() {
            mutex.lock();
            try {
                over = true;
            } finally {
                mutex.unlock();
            }
            decide();
        }

        /** Asks the next one, if there is one. */
        private boolean askNext() {
            Connector next;
            mutex.lock();
            try {
                if (asked == from.size() || found.isDone()) {
                    return false;
                }
                next = from.get(asked++);
            } finally {
                mutex.unlock();
            }
            CompletionStage<? extends C> opening;
            try {
                opening = open.apply(next);
            } catch (RuntimeException | LinkageError e) {
                opening = CompletableFuture.failedFuture(e);
            }
            opening.whenComplete((connection, why) -> {
                if (why != null || wanted != Wanted.ONLY_MASTER) {
                    answered(next, connection, why);
                } else {
                    connection.async().role().whenComplete((role, unknown) -> {
                        boolean master = isMaster(role);
                        if (!master) {
                            connection.closeAsync();
                        }
                        answered(next, master ? connection : null, unknown);
                    });
                }
            });
            return true;
        }

        private void answered(Connector server, @Nullable C connection, @Nullable Throwable why) {
            mutex.lock();
            try {
                if (connection != null) {
                    wantedOnes.put(server, connection);
                } else {
                    others.put(server, Optional.ofNullable(why));
                }
            } finally {
                mutex.unlock();
            }
            if (connection == null && wanted == Wanted.ANY) {
                askNext();
            }
            if (connection != null) {
                found.whenComplete((chosen, refused) -> {
                    if (chosen != connection) {
                        connection.closeAsync();
                    }
                });
            }
            decide();
        }

        private void decide() {
            C chosen = null;
            Throwable refusal = null;
            mutex.lock();
            try {
                boolean all = wantedOnes.size() + others.size() == from.size();
                if (wantedOnes.size() > 1 && wanted == Wanted.ONLY_MASTER) {
                    refusal = new TwoMastersException(
                            from.stream().filter(wantedOnes::containsKey).toList());
                } else if (!wantedOnes.isEmpty() && (all || late || wanted != Wanted.ONLY_MASTER)) {
                    chosen = wantedOnes.values().iterator().next();
                } else if (wantedOnes.isEmpty() && (all || over || (late && others.containsValue(Optional.empty())))) {
                    refusal = none();
                }
            } finally {
                mutex.unlock();
            }
            if (chosen != null) {
                patience = bounds.first();
                found.complete(chosen);
            } else if (refusal != null && found.completeExceptionally(refusal) && late) {
                Duration longer = patience.multipliedBy(2);
                patience = Patience.atMost(bounds.most(), longer);
            }
        }

        private Throwable none() {
            List<Throwable> failures =
                    others.values().stream().flatMap(Optional::stream).toList();
            Throwable refusal = failures.stream()
                    .filter(SearchingConnector::isRefusal)
                    .findFirst()
                    .orElse(null);
            boolean ofAll = others.size() == from.size() && failures.stream().allMatch(SearchingConnector::isRefusal);
            if (refusal != null && ofAll) {
                return refusal;
            }
            List<String> each = new ArrayList<>();
            for (Connector server : from) {
                Optional<Throwable> why = others.get(server);
                each.add(server + ": "
                        + (why == null
                                ? "no answer"
                                : why.map(RedisFailures::why).orElse("a replica")));
            }
            return new NoMasterException(
                    "none of " + name + " is a master at the moment (" + String.join("; ", each) + ")",
                    refusal != null ? refusal : ofAllServers(failures),
                    failures);
        }

        /** A replica or a silent server may be the master soon: then the cause must not say that nothing listens. */
        private @Nullable Throwable ofAllServers(List<Throwable> failures) {
            if (from.isEmpty() || failures.size() < from.size()) {
                return null;
            }
            return failures.stream()
                    .filter(failure -> !Causes.has(failure, ConnectException.class, UnknownHostException.class))
                    .findFirst()
                    .orElse(failures.get(0));
        }
    }

    private static boolean isRefusal(Throwable failure) {
        return Causes.has(
                failure, RedisCommandExecutionException.class, SSLHandshakeException.class, LinkageError.class);
    }
}
