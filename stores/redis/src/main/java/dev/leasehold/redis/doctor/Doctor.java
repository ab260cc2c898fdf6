package dev.leasehold.redis.doctor;

import dev.leasehold.LockException;
import dev.leasehold.doctor.Finding;
import dev.leasehold.doctor.Finding.Severity;
import dev.leasehold.internal.DurationText;
import dev.leasehold.redis.connection.Connector;
import dev.leasehold.redis.connection.RedisConnection;
import dev.leasehold.redis.connection.RedisFailures;
import dev.leasehold.redis.connection.SearchingConnector.Patience;
import dev.leasehold.redis.connection.TwoMastersException;
import dev.leasehold.redis.node.RedisSettings;
import dev.leasehold.redis.node.SlotMap;
import dev.leasehold.redis.script.KeyNames;
import dev.leasehold.spi.StoreContext;
import dev.leasehold.spi.Trial;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The doctor looks at a deployment of Redis: it goes to its masters, and from there to their replicas, asks each for
 * the facts, and has the facts judged. The judges ({@link PersistenceFindings} and the like) see facts only, so each
 * can be tested with the facts of servers that no test can start. To look at something more, add it to {@link
 * NodeFacts} and to the judge whose subject it is.
 *
 * <p>A fact that the user may not read is reported as such, never taken for fine. Only if the first server cannot be
 * reached is there no examination.
 */
public final class Doctor {

    private static final String WHAT = "the examination";
    private static final int MOST_NAMES = 100_000;

    private final String name;
    private final Deployment deployment;
    private final RedisSettings settings;
    private final StoreContext context;
    private final RedisClient client;
    private final Duration timeout;
    private final Duty duty;
    private final List<Finding> findings = new ArrayList<>();
    private final List<NodeFacts> nodes = new ArrayList<>();

    /** A duty is the part that a master plays for locks, and that it is examined for. */
    public interface Duty {
        List<Finding> of(NodeFacts master);
    }

    public Doctor(
            String name,
            Deployment deployment,
            RedisSettings settings,
            StoreContext context,
            RedisClient client,
            Duration timeout,
            Duty duty) {
        this.name = name;
        this.deployment = deployment;
        this.settings = settings;
        this.context = context;
        this.client = client;
        this.timeout = timeout;
        this.duty = duty;
    }

    /** Returns the servers that the examination has seen. */
    public List<NodeFacts> nodes() {
        return nodes;
    }

    public List<Finding> examine() throws InterruptedException {
        // It searches once, so it waits for as long as a client does in the end.
        Duration patience = timeout.multipliedBy(4).dividedBy(5);
        Connector first = deployment.first(client, name, context.time(), new Patience(patience, patience));
        try (StatefulRedisConnection<String, String> connection = open(first::connect)) {
            if (deployment.cluster()) {
                examineCluster(connection);
            } else {
                master(first, connection, key -> true);
            }
        } catch (ExecutionException | TimeoutException | RedisException e) {
            if (!(e.getCause() instanceof TwoMastersException two)) {
                throw failure(e);
            }
            findings.add(Finding.of(Severity.SERIOUS, "redis-two-masters", name, String.valueOf(two.getMessage()))
                    .meaning("nobody gets a lock here until one of them is a replica", TwoMastersException.REMEDY));
        }
        if (!nodes.isEmpty()) {
            findings.addAll(ClockFindings.of(nodes));
            findings.addAll(ExposureFindings.of(
                    nodes.get(0), isOpen(), deployment.isLocal(), deployment.hasTls(), deployment.hasPassword()));
        }
        return findings;
    }

    private void examineCluster(StatefulRedisConnection<String, String> connection) throws InterruptedException {
        SlotMap.Address seed = new SlotMap.Address(
                deployment.uris().get(0).getHost(), deployment.uris().get(0).getPort());
        SlotMap map = SlotMap.read(
                connection
                        .sync()
                        .dispatch(
                                CommandType.CLUSTER,
                                new NestedMultiOutput<>(RedisConnection.CODEC),
                                new CommandArgs<>(RedisConnection.CODEC).add("SLOTS")),
                seed);
        findings.addAll(ClusterFindings.of(name, map, connection));
        for (SlotMap.Address address : map.masters()) {
            Connector connector = deployment.to(client, address);
            if (connector == null) {
                continue;
            }
            try (StatefulRedisConnection<String, String> there = open(connector::connect)) {
                master(connector, there, key -> address.equals(map.of(key)));
            } catch (ExecutionException | TimeoutException | RedisException e) {
                findings.add(unreached(connector, e, Severity.SERIOUS, "redis-master-unreached")
                        .meaning("locks whose names fall there are out of reach from here", "see whether it runs"));
            }
        }
    }

    /** The slots of a master decide which keys are kept there. */
    private interface Slots {
        boolean have(String key);
    }

    private void master(Connector connector, StatefulRedisConnection<String, String> connection, Slots slots)
            throws InterruptedException, ExecutionException, TimeoutException {
        NodeFacts facts = NodeFacts.of(connector.toString(), connection);
        nodes.add(facts);
        if (facts.info().isEmpty()) {
            findings.add(
                    Finding.of(Severity.WARNING, "redis-info-not-seen", facts.node(), "it does not tell about itself")
                            .meaning("whether it evicts and forgets locks is not known", "allow +info")
                            .fencedOnlyAfter("whatever makes it forget (nothing was seen)"));
        } else {
            findings.addAll(ServerFindings.of(facts));
            findings.addAll(duty.of(facts));
        }
        try (var listener = open(connector::listen)) {
            KeyNames names = settings.names(context, deployment.cluster());
            findings.addAll(PermissionCheck.of(
                    connection,
                    listener,
                    facts.node(),
                    names.root(),
                    key(names, slots),
                    names.inboxPrefix() + context.clientId(),
                    deployment.cluster(),
                    settings.replicas() > 0));
        }
        for (SlotMap.Address address : replicas(facts)) {
            replica(address);
        }
    }

    private String key(KeyNames names, Slots slots) {
        String lock = Trial.LOCK + "-" + context.clientId();
        for (int i = 0; i < MOST_NAMES; i++) {
            String key = names.lock(lock + i);
            if (slots.have(key)) {
                return key;
            }
        }
        return names.lock(lock);
    }

    /** Reads the replicas from lines as {@code slave0:ip=10.0.0.2,port=6379,state=online,offset=28,lag=0}. */
    private static List<SlotMap.Address> replicas(NodeFacts master) {
        List<SlotMap.Address> addresses = new ArrayList<>();
        for (int i = 0; i < master.replicas(); i++) {
            String host = "";
            String port = "";
            for (String part : master.field("slave" + i).split(",", -1)) {
                host = part.startsWith("ip=") ? part.substring(3) : host;
                port = part.startsWith("port=") ? part.substring(5) : port;
            }
            if (!host.isEmpty() && port.matches("\\d{1,5}")) {
                addresses.add(new SlotMap.Address(host, Integer.parseInt(port)));
            }
        }
        return addresses;
    }

    private void replica(SlotMap.Address address) throws InterruptedException {
        Connector connector = deployment.to(client, address);
        if (connector == null) {
            return;
        }
        try (StatefulRedisConnection<String, String> connection = open(connector::connect)) {
            NodeFacts facts = NodeFacts.of(connector.toString(), connection);
            nodes.add(facts);
            findings.addAll(ServerFindings.of(facts));
        } catch (ExecutionException | TimeoutException | RedisException e) {
            findings.add(unreached(connector, e, Severity.NOTE, "redis-replica-not-seen")
                    .meaning(
                            "its clock and its settings, which count after a fail-over, were not seen",
                            "run leasehold doctor where it can be reached"));
        }
    }

    private static Finding unreached(Connector connector, Exception e, Severity severity, String code) {
        Throwable cause = e instanceof ExecutionException && e.getCause() != null ? e.getCause() : e;
        return Finding.of(severity, code, connector.toString(), "it was not reached: " + cause.getMessage());
    }

    /** Returns whether the server admits a client without a password. */
    private boolean isOpen() throws InterruptedException {
        Connector stranger = deployment.anonymous(client);
        if (!deployment.hasPassword() || stranger == null) {
            return !deployment.hasPassword();
        }
        try (StatefulRedisConnection<String, String> connection = open(stranger::connect)) {
            connection.sync().ping();
            return true;
        } catch (ExecutionException | TimeoutException | RedisException e) {
            return false;
        }
    }

    /** Opens a connection. One that is closed in its handshake may hide why, so it is tried once more. */
    private <C extends StatefulRedisConnection<String, String>> C open(Supplier<? extends CompletionStage<C>> opener)
            throws InterruptedException, ExecutionException, TimeoutException {
        try {
            return open(opener.get());
        } catch (ExecutionException e) {
            if (!RedisFailures.isClosedInHandshake(e)) {
                throw e;
            }
            return open(opener.get());
        }
    }

    private <C extends StatefulRedisConnection<String, String>> C open(CompletionStage<C> connecting)
            throws InterruptedException, ExecutionException, TimeoutException {
        C connection;
        try {
            connection = connecting.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            connecting.thenAccept(StatefulRedisConnection::closeAsync);
            throw e;
        }
        connection.setTimeout(timeout);
        return connection;
    }

    private LockException failure(Exception e) throws InterruptedException {
        if (e instanceof RedisCommandInterruptedException) {
            throw (InterruptedException) new InterruptedException().initCause(e);
        }
        if (e instanceof ExecutionException && e.getCause() != null) {
            return RedisFailures.ofConnecting(e.getCause(), name, WHAT);
        }
        return e instanceof TimeoutException
                ? RedisFailures.ofConnecting(
                        new RedisException("none could be made within " + DurationText.of(timeout)), name, WHAT)
                : RedisFailures.of(e, name, WHAT);
    }
}
