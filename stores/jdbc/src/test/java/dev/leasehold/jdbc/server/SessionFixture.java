package dev.leasehold.jdbc.server;

import static dev.leasehold.architecture.Waits.A_MINUTE;
import static dev.leasehold.architecture.Waits.await;

import dev.leasehold.Leasehold;
import dev.leasehold.LockOptions;
import dev.leasehold.jdbc.SessionServer;
import dev.leasehold.testkit.RealTime;
import dev.leasehold.testtools.Started;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A SessionFixture has servers whose sessions hold locks, and clients of them. */
abstract class SessionFixture {

    static final LockOptions THREE_SECONDS = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(3));

    @RegisterExtension
    static final Started<SessionServer> POSTGRES = new Started<>(SessionServer::postgres);

    @RegisterExtension
    static final Started<SessionServer> MARIADB = new Started<>(SessionServer::mariadb);

    @AutoClose
    final RealTime time = new RealTime();

    final String name = "lock-" + UUID.randomUUID();

    static List<SessionServer> servers() {
        return List.of(POSTGRES.get(), MARIADB.get());
    }

    static Leasehold connect(SessionServer server) {
        return Leasehold.connect(server.sessionUrl());
    }

    static void waitUntil(Callable<Boolean> condition) {
        await().until(condition);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(A_MINUTE, TimeUnit.SECONDS);
    }
}
