package dev.leasehold.redis;

import static dev.leasehold.architecture.Waits.A_MINUTE;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.servers.RedisProcess;
import dev.leasehold.testtools.FaultProxy;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A FaultsFixture has a real server, a proxy before it that makes faults, and clients of either. */
abstract class FaultsFixture {

    final List<Leasehold> clients = new ArrayList<>();

    @RegisterExtension
    final Started<RedisProcess> redis = new Started<>(RedisProcess::start);

    FaultProxy proxy;

    @BeforeEach
    void start() {
        proxy = FaultProxy.to(redis.get().port());
    }

    @AfterEach
    void stop() {
        redis.get().signal("CONT");
        proxy.letGo();
        clients.forEach(Leasehold::close);
        proxy.close();
    }

    Leasehold direct() {
        return client(redis.get().uri(), Duration.ofSeconds(30));
    }

    Leasehold proxied() {
        return client("redis://localhost:" + proxy.port(), Duration.ofSeconds(30));
    }

    Leasehold client(String uri, Duration lease) {
        Leasehold client = Leasehold.builder()
                .uri(uri)
                .options(LockOptions.defaults().withLeaseDuration(lease))
                .storeTimeout(Duration.ofSeconds(A_MINUTE))
                .build();
        clients.add(client);
        return client;
    }
}
