package dev.leasehold.redis.quorum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.OwnClient;
import dev.leasehold.redis.connection.RedisUris;
import dev.leasehold.redis.connection.Tls;
import dev.leasehold.redis.connection.UriConnector;
import dev.leasehold.redis.node.Inbox;
import dev.leasehold.redis.node.NodeListener;
import dev.leasehold.redis.node.RedisNode;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.redis.voter.BallotEncoder;
import dev.leasehold.redis.voter.RedisVoter;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.spi.Grant;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Validity;
import dev.leasehold.testkit.NoSignals;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The scripts of a quorum's master and the model that the simulator runs over give the same answers to the same random
 * requests, and are in the same state after each. The test gives the model the server's clock, as the server's answers
 * have it, so tokens and bounds are compared exactly. All durations are far longer than the test; that time passes is
 * brought about by making everything that is kept on both sides that much older.
 */
@Tag("slow")
class QuorumDifferentialTest {

    private static final int RUNS = 30;
    private static final int CLIENTS = 4;
    static final MarkerRules RULES = new MarkerRules(Duration.ofMinutes(20), false, KeyNames.ROOT);

    @RegisterExtension
    private static final Started<RealTime> TIME = new Started<>(RealTime::new);

    @ParameterizedTest
    @EnumSource(RedisProcess.Version.class)
    void scriptsAndModelAgree(RedisProcess.Version version) {
        OwnClient own = new OwnClient(Duration.ofSeconds(10), Tls.OF_THE_JVM);
        try (RedisProcess redis = RedisProcess.start(version).warm()) {
            List<String> pushes = new CopyOnWriteArrayList<>();
            List<RedisVoter> voters = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                voters.add(voter(own, redis, "client" + i, pushes));
            }
            int shut = 0;
            int together = 0;
            for (int run = 0; run < RUNS; run++) {
                redis.commands().flushall();
                pushes.clear();
                QuorumDifferentialRun one = new QuorumDifferentialRun(redis.commands(), voters, pushes, run);
                one.play();
                shut += one.shut();
                together = Math.max(together, one.together());
            }
            assertThat(shut).isPositive();
            assertThat(together).isGreaterThan(2);
            voters.forEach(RedisVoter::close);
        } finally {
            own.close();
        }
    }

    private static RedisVoter voter(OwnClient own, RedisProcess redis, String client, List<String> pushes) {
        NodeListener listener = new NodeListener() {
            @Override
            public void granted(Grant grant, @Nullable Validity validity) {
                pushes.add(grant.lease().claim() + " " + grant.lease().token());
            }

            @Override
            public void doubt(@Nullable String lock) {}
        };
        StoreContext context = new StoreContext(client, client, "", TIME.get(), Duration.ofMinutes(1), new NoSignals());
        RedisURI uri = RedisURI.create(redis.uri());
        Connector connector = new UriConnector(own.client(), uri, RedisUris.name(uri));
        KeyNames names = KeyNames.of(KeyNames.ROOT, "");
        Inbox inbox = new Inbox(connector, context, names, false, listener);
        RedisNode node = new RedisNode(connector, context, RedisSettings.DEFAULTS, names, inbox, true, listener);
        RedisVoter voter = new RedisVoter(node, new BallotEncoder(client, RULES), RULES);
        // Makes the connection, for a ballot is not kept back until there is one; an inbox that is not open is passed
        // over.
        get(voter.look());
        get(node.listen("the test"));
        return voter;
    }

    static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }
}
