package dev.leasehold.battery;

import dev.leasehold.testkit.HoldRecord;
import dev.leasehold.testtools.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A nemesis strikes clients or servers with one fault, sets it right after a while, and writes both down: the blow before it
 * strikes, the healing after it is done, so that a judge excuses nothing too little.
 */
final class Nemesis {

    /** Clients are those of a run, one of which may be replaced. */
    interface Clients {
        ClientProcess any(Random random);

        List<ClientProcess> all();

        void replace(ClientProcess killed) throws Exception;
    }

    /** A clock is set by so many leases at most. */
    static final int MOST_LEASES_OF_CLOCK = 2;

    private final Plan plan;
    private final StoreUnderTest store;
    private final Clients clients;
    private final History history;
    private final Random random;
    private final Step whileOn;

    Nemesis(Plan plan, StoreUnderTest store, Clients clients, History history, Random random) {
        this(plan, store, clients, history, random, () -> {});
    }

    /** Makes a nemesis that takes a step of another's whenever its fault is on, before it lets time pass. */
    Nemesis(Plan plan, StoreUnderTest store, Clients clients, History history, Random random, Step whileOn) {
        this.plan = plan;
        this.store = store;
        this.clients = clients;
        this.history = history;
        this.random = random;
        this.whileOn = whileOn;
    }

    /** Strikes once, and returns when it has been set right. */
    void strike() throws Exception {
        switch (plan.fault()) {
            case NONE -> Thread.sleep(leases(0.5, 1));
            case STOP -> {
                ClientProcess client = clients.any(random);
                toClient(client, () -> client.signal("STOP"), lessOrMoreThanALease(), () -> client.signal("CONT"));
            }
            case KILL -> {
                ClientProcess client = clients.any(random);
                toClient(client, client::kill, 0, () -> {});
                clients.replace(client);
            }
            case SERVER_STOP -> {
                List<Integer> servers = servers();
                during(
                        "servers " + servers,
                        () -> each(servers, server -> store.signal(server, "STOP")),
                        lessOrMoreThanALease(),
                        () -> all(servers, server -> store.signal(server, "CONT")));
            }
            case RESTART, AMNESIA -> {
                List<Integer> servers = servers();
                boolean withData = plan.fault() == Fault.RESTART;
                during(
                        "servers " + servers,
                        () -> each(servers, store::kill),
                        leases(0, 0.5),
                        () -> all(servers, server -> store.restart(server, withData)));
            }
            case FLUSH -> {
                List<Integer> servers = servers();
                during("servers " + servers, () -> each(servers, store::flush), 0, () -> {});
            }
            case CUT ->
                onWay(
                        way -> {
                            way.refuse(true);
                            way.cut();
                        },
                        lessOrMoreThanALease(),
                        way -> way.refuse(false));
            case BLACK_HOLE -> {
                boolean lost = random.nextBoolean();
                onWay(FaultProxy::blackHole, lessOrMoreThanALease(), way -> {
                    if (lost) {
                        way.cut();
                    }
                    way.letGo();
                });
            }
            case DELAY -> {
                Duration by = Duration.ofMillis(leases(0.01, 0.15));
                onWay(way -> way.delay(by), leases(1, 2), way -> way.delay(Duration.ZERO));
            }
            case DUPLICATE -> {
                Duration late = Duration.ofMillis(leases(0, 0.5));
                // Connections are repeated from their beginning, so there have to be new ones.
                onWay(
                        way -> {
                            way.repeat(late);
                            way.cut();
                        },
                        leases(1, 2),
                        way -> {
                            way.repeat(null);
                            way.cut();
                        });
            }
            case SUSPEND -> suspend();
            case CLOCK_FORWARD, CLOCK_BACK -> {
                int server = clockOf();
                Duration by = Duration.ofMillis(leases(0.5, MOST_LEASES_OF_CLOCK));
                Duration jump = plan.fault() == Fault.CLOCK_BACK ? by.negated() : by;
                during("server " + server, () -> store.moveClock(server, jump), leases(1, 2), () -> {
                    if (store.servers() > 1) { // Else each server would have a time of its own in the end.
                        store.moveClock(server, jump.negated());
                    }
                });
            }
            case SESSION_KILL -> {
                List<Integer> servers = servers();
                during("servers " + servers, () -> each(servers, store::killSessions), 0, () -> {});
            }
            case RESTART_ALL, FAIL_OVER -> {
                List<Integer> servers = plan.fault() == Fault.FAIL_OVER ? List.of(0) : some(store.servers());
                during(
                        "servers " + servers,
                        () -> each(servers, store::kill),
                        leases(0, 0.5),
                        () -> all(servers, server -> store.restart(server, true)));
            }
            case MINORITY_LOST, MAJORITY_LOST -> {
                boolean most = plan.fault() == Fault.MAJORITY_LOST;
                List<Integer> servers = some(most ? store.servers() / 2 + 1 : (store.servers() - 1) / 2);
                away(servers, most, most ? longerThanALease() : longerThanThePause());
            }
            case RESHARDING -> {
                List<String> locks = new ArrayList<>(LeaseholdLocks.NAMES);
                Collections.shuffle(locks, random);
                List<String> moving = random.nextInt(3) == 0 ? locks : locks.subList(0, 1);
                List<String> begun = new ArrayList<>();
                during(
                        "slots of " + moving,
                        () -> {
                            for (String lock : moving) {
                                begun.add(lock);
                                store.beginMoving(lock, new Random(random.nextLong()));
                            }
                        },
                        leases(0, 0.5),
                        () -> {
                            for (String lock : begun) {
                                store.endMoving(lock);
                            }
                        });
            }
            case LEADER_KILL -> {
                // For so long that it can be seen whether the others go on, or briefly, so that it comes back
                // meanwhile.
                long millis = random.nextBoolean() ? longerThanThePause() : leases(0.1, 0.5);
                away(List.of(store.leader()), false, millis);
            }
            case MIXED -> Mixture.drawn(plan, store, clients, history, random).strike();
            case BARE_MAJORITY_CLOCK -> {
                List<Integer> servers = some(2);
                Duration by = Duration.ofMillis(leases(0.5, MOST_LEASES_OF_CLOCK));
                during(
                        "servers " + servers,
                        () -> {
                            store.kill(servers.get(0));
                            Thread.sleep(leases(0.2, 0.5));
                            store.moveClock(servers.get(1), by);
                        },
                        leases(0.5, 1),
                        () -> {
                            store.moveClock(servers.get(1), by.negated());
                            store.restart(servers.get(0), true);
                        });
            }
        }
    }

    /**
     * Stops one client, mostly; all of them now and then, and always where they use the machine's own monotonic clock for
     * their leases.
     */
    private void suspend() throws Exception {
        List<ClientProcess> all = clients.all();
        List<ClientProcess> asleep = plan.store() == StoreKind.SQLITE || random.nextInt(3) == 0
                ? all
                : List.of(all.get(random.nextInt(all.size())));
        long millis = random.nextInt(3) == 0 ? leases(0.01, 0.1) : lessOrMoreThanALease();
        asleep.forEach(client -> struck(client.name()));
        long from = System.nanoTime();
        try {
            for (ClientProcess client : asleep) {
                client.fallAsleep();
            }
            from = System.nanoTime();
            whileOn.run();
            Thread.sleep(millis);
        } finally {
            Duration slept = Duration.ofNanos(System.nanoTime() - from);
            all(asleep, client -> client.wakeUp(slept));
            asleep.forEach(client -> healed(client.name()));
        }
    }

    /** Kills servers for a while, and writes down between which times all of them were certainly away. */
    private void away(List<Integer> servers, boolean most, long millis) throws Exception {
        String target = "servers " + servers;
        AtomicLong gone = new AtomicLong(HoldRecord.NEVER);
        during(
                target,
                () -> {
                    each(servers, store::kill);
                    gone.set(System.nanoTime());
                },
                millis,
                () -> {
                    if (gone.get() != HoldRecord.NEVER) {
                        history.add(new Event.Away(gone.get(), target, most, System.nanoTime()));
                    }
                    all(servers, server -> store.restart(server, true));
                });
    }

    private void onWay(Consumer<FaultProxy> blow, long millis, Consumer<FaultProxy> healing) throws Exception {
        ClientProcess client = clients.any(random);
        List<FaultProxy> proxies = client.way().proxies();
        toClient(client, () -> proxies.forEach(blow), millis, () -> proxies.forEach(healing));
    }

    /** A step is part of what a nemesis does. */
    interface Step {
        void run() throws Exception;
    }

    private interface On<T> {
        void apply(T target) throws Exception;
    }

    private void during(String target, Step blow, long millis, Step healing) throws Exception {
        untilHealed(target, blow, millis, () -> {
            healing.run();
            store.awaitServing();
        });
    }

    /** Strikes a client. Its healing does not wait for servers, which another nemesis may have struck. */
    private void toClient(ClientProcess client, Step blow, long millis, Step healing) throws Exception {
        untilHealed(client.name(), blow, millis, healing);
    }

    private void untilHealed(String target, Step blow, long millis, Step healing) throws Exception {
        struck(target);
        try {
            blow.run();
            whileOn.run();
            Thread.sleep(millis);
        } finally {
            healing.run();
            healed(target);
        }
    }

    private void struck(String target) {
        history.add(new Event.Struck(System.nanoTime(), target, plan.fault().word()));
    }

    private void healed(String target) {
        history.add(new Event.Healed(System.nanoTime(), target, plan.fault().word()));
    }

    private static void each(List<Integer> servers, On<Integer> step) throws Exception {
        for (int server : servers) {
            step.apply(server);
        }
    }

    /** Applies a step to all, also where it fails for some, and throws the first failure after that. */
    private static <T> void all(List<T> targets, On<T> step) throws Exception {
        Exception failure = null;
        for (T target : targets) {
            try {
                step.apply(target);
            } catch (Exception e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns whose clock is set: where a server leads the others, it is that one's half of the time. */
    private int clockOf() throws Exception {
        int any = random.nextInt(store.servers());
        return plan.store() == StoreKind.ZOOKEEPER && random.nextBoolean() ? store.leader() : any;
    }

    /** Returns one server, mostly; now and then all of them. */
    private List<Integer> servers() {
        return some(random.nextInt(3) == 0 ? store.servers() : 1);
    }

    private List<Integer> some(int count) {
        List<Integer> all =
                new ArrayList<>(IntStream.range(0, store.servers()).boxed().toList());
        Collections.shuffle(all, random);
        return List.copyOf(all.subList(0, count));
    }

    /** Returns a time that is mostly so long that what was under way when servers went can be told from what they are asked later. */
    private long longerThanALease() {
        return random.nextInt(4) == 0 ? leases(0.1, 0.5) : leases(1.5, 2.5);
    }

    private long longerThanThePause() {
        return plan.pause().toMillis() + leases(0.5, 1);
    }

    private long lessOrMoreThanALease() {
        return random.nextBoolean() ? leases(0.1, 0.5) : leases(1.2, 1.8);
    }

    private long leases(double least, double most) {
        return (long)
                ((least + random.nextDouble() * (most - least)) * plan.lease().toMillis());
    }
}
