package dev.leasehold.redis.node;

import dev.leasehold.redis.connection.ConnectionFactory;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.ReconnectingConnection;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.script.HolderTerms;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.spi.ClaimId;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.TimeSource;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * An inbox is the channel on which the scripts tell this client of its grants and of broken leases. It is subscribed
 * before the client first joins a queue or renews a lease, and kept. A message may be lost, late or come twice: it saves the waiter a question, and nothing rests on
 * it.
 */
public final class Inbox {

    private static final Logger LOG = System.getLogger("dev.leasehold.redis");
    private static final int GRANT_PARTS = 8;
    private static final long ASK_EVERY_NANOS = 1_000_000_000L;
    private static final Duration SUSPICIOUS = Duration.ofMillis(1500);
    private static final Duration REST = Duration.ofMillis(500);

    private final StoreContext context;
    private final String prefix;
    private final boolean counts;
    private final TimeSource time;
    private final NodeListener listener;
    private final ReconnectingConnection reconnectingConnection;

    private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;
    /** This is null as long as nobody has asked: the client's id is drawn when it is first used. */
    private volatile @Nullable String channel;

    private final AtomicLong askedAt = new AtomicLong();
    private volatile long openedAt;
    private volatile long calledAt;

    /**
     * Makes an inbox, without subscribing.
     *
     * @param connector to the server that publishes, or to any node of its cluster
     * @param counts whether a grant counts as it is announced; else it is only a reason to ask
     */
    public Inbox(Connector connector, StoreContext context, KeyNames names, boolean counts, NodeListener listener) {
        this.context = context;
        this.prefix = names.inboxPrefix();
        this.counts = counts;
        this.time = context.time();
        this.listener = listener;
        this.reconnectingConnection = new ConnectionFactory(context, connector)
                .reconnectingConnection(
                        connector + " (inbox)",
                        () -> connector.listen().thenCompose(this::subscribe),
                        () -> listener.doubt(null));
    }

    String channel() {
        String known = channel;
        if (known == null) {
            known = prefix + context.clientId();
            channel = known;
        }
        return known;
    }

    boolean isOpen() {
        return reconnectingConnection.now() != null;
    }

    /** Subscribes, if it has not been done; the stage completes when the server has confirmed. */
    CompletableFuture<RedisConnection> open() {
        return reconnectingConnection.open();
    }

    /** Subscribes for the holder of a lock, who would hear of a break. */
    void listen() {
        if (!isOpen()) {
            open();
        }
    }

    CompletableFuture<@Nullable Void> close() {
        return reconnectingConnection.close();
    }

    /**
     * Asks the server for a sign that this connection lives, as somebody waits for what it may bring: by subscribing anew, which
     * changes nothing, is answered, and needs no other right. Where nothing comes, it is given up; looked at twice, since after a
     * pause of this process the answer may lie here unread. Done once a second.
     */
    void verify() {
        RedisConnection open = reconnectingConnection.now();
        StatefulRedisPubSubConnection<String, String> asked = connection;
        long last = askedAt.get();
        long now = time.nanos();
        if (open == null || asked == null || now - last < ASK_EVERY_NANOS || !askedAt.compareAndSet(last, now)) {
            return;
        }
        CompletableFuture<?> answer = asked.async().subscribe(channel()).toCompletableFuture();
        time.schedule(SUSPICIOUS, () -> {
            if (!hasCome(answer)) {
                time.schedule(REST, () -> {
                    if (!hasCome(answer)) {
                        open.lose("nothing came in for " + SUSPICIOUS.plus(REST) + " although the inbox was asked");
                    }
                });
            }
        });
    }

    private static boolean hasCome(CompletableFuture<?> answer) {
        return answer.isDone() && !answer.isCompletedExceptionally();
    }

    private <C extends StatefulRedisPubSubConnection<String, String>> CompletionStage<C> subscribe(C connection) {
        connection.addListener(new RedisPubSubAdapter<String, String>() {
            @Override
            public void message(String from, String message) {
                if (channel().equals(from)) {
                    read(message);
                }
            }
        });
        return connection.async().subscribe(channel()).thenApply(subscribed -> {
            openedAt = time.nanos();
            calledAt = openedAt;
            askedAt.set(openedAt);
            this.connection = connection;
            return connection;
        });
    }

    /** Returns whether a claim shall have the server call this inbox: once a second, and until an answer says that it was done. */
    boolean wantsCall(long now) {
        return isOpen() && now - calledAt >= ASK_EVERY_NANOS;
    }

    /**
     * Notes that a server has called this inbox, and gives up the connection if it was open when the question was sent, and nobody has
     * heard. A master that has become a replica keeps its subscribers, and nothing that the new master tells reaches them; nobody would
     * notice, since in an inbox no answer is owed.
     */
    void called(boolean heard, long sentAt) {
        RedisConnection open = reconnectingConnection.now();
        if (open == null || sentAt - openedAt <= 0) {
            return;
        }
        calledAt = sentAt;
        if (!heard) {
            open.lose("nobody hears it at the server to which the commands go");
        }
    }

    private void read(String message) {
        try {
            int bar = message.indexOf('|');
            String news = bar < 0 ? message : message.substring(0, bar);
            String rest = message.substring(bar + 1);
            if (news.equals("granted")) {
                granted(rest.split("\\|", GRANT_PARTS));
            } else if (news.equals("broken")) {
                listener.doubt(rest);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "a message on " + channel() + " could not be read, and was passed over", e);
        }
    }

    /**
     * Handles a grant: {@code TOKEN|STAMP|CLAIM|PERIOD|SPARE|COUNTS|INBOX|NAME}, {@code SPARE} as in {@link
     * HolderTerms}.
     */
    private void granted(String[] parts) {
        ClaimId claim = ClaimId.parse(parts[2]);
        if (!claim.client().equals(context.clientId())) {
            return;
        }
        LeaseId lease = new LeaseId(parts[7], claim, Long.parseLong(parts[0]));
        Duration period = Duration.ofMillis(Long.parseLong(parts[3]));
        listener.granted(
                HolderTerms.parse(parts[4]).grant(lease),
                counts ? ClockStamp.ofPushed(parts[1], period, time.nanos()) : null);
    }
}
