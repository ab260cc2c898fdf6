package dev.leasehold.battery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** These tests are about two faults at the same time, of real processes that sleep and a server that is none. */
@Tag("slow")
class MixtureTest {

    private static final int STRIKES = 10;

    @TempDir
    private Path directory;

    private final Sleepers clients = new Sleepers();
    private final NoServer server = new NoServer();
    private History history;

    /** The clients do nothing, and are replaced as those of a run. */
    private final class Sleepers implements Nemesis.Clients {

        private final List<ClientProcess> all = new CopyOnWriteArrayList<>();
        private int started;

        void start() throws IOException {
            String name = "client-" + ++started;
            all.add(ClientProcess.start(
                    name, server.way(), plan(StoreKind.REDIS), 1, directory, SleepingClient.class, List.of()));
        }

        @Override
        public ClientProcess any(Random random) {
            return all.get(random.nextInt(all.size()));
        }

        @Override
        public List<ClientProcess> all() {
            return List.copyOf(all);
        }

        @Override
        public void replace(ClientProcess killed) throws Exception {
            all.remove(killed);
            start();
        }
    }

    /** The server only writes down what is done to it, and fails if told so. */
    private static final class NoServer implements StoreUnderTest {

        private final List<String> done = new CopyOnWriteArrayList<>();
        private volatile String failing = "";

        private void doing(String what) throws IOException {
            done.add(what);
            if (what.equals(failing)) {
                throw new IOException("cannot " + what);
            }
        }

        @Override
        public Way way() {
            return new Way(uri(), List.of());
        }

        @Override
        public String uri() {
            return "none";
        }

        @Override
        public int servers() {
            return 1;
        }

        @Override
        public String version() {
            return "0";
        }

        @Override
        public void signal(int index, String signal) throws IOException {
            doing(signal);
        }

        @Override
        public void kill(int index) throws IOException {
            doing("kill");
        }

        @Override
        public void restart(int index, boolean withData) throws IOException {
            doing("restart");
        }

        @Override
        public void flush(int index) throws IOException {
            doing("flush");
        }

        @Override
        public void killSessions(int index) throws IOException {
            doing("kill sessions");
        }

        @Override
        public Map<String, Long> gauges() {
            return Map.of();
        }

        @Override
        public int overtaking() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private Plan plan(StoreKind store) {
        return new Plan(
                Peer.LEASEHOLD,
                store,
                Fault.MIXED,
                Duration.ZERO,
                Duration.ofMillis(40),
                3,
                1,
                Worker.Kind.CAREFUL,
                Duration.ofSeconds(1),
                directory);
    }

    @BeforeEach
    void startClients() throws IOException {
        history = History.open(directory, "battery");
        for (int i = 0; i < 3; i++) {
            clients.start();
        }
    }

    @AfterEach
    void endClients() throws IOException {
        clients.all().forEach(ClientProcess::close);
        history.close();
    }

    private List<Disturbance> seen() throws IOException {
        return Disturbance.of(History.read(directory));
    }

    /** Strikes again and again, and returns the words of the faults, those of clients first, and where each ended. */
    private Set<List<String>> strikeOften(StoreKind store) throws Exception {
        Nemesis nemesis = new Nemesis(plan(store), server, clients, history, new Random(7));
        Set<List<String>> drawn = new HashSet<>();
        int before = 0;
        for (int i = 0; i < STRIKES; i++) {
            nemesis.strike();
            List<Disturbance> both = seen().subList(before, seen().size());
            before += both.size();
            assertThat(both.stream().map(Disturbance::target)).doesNotHaveDuplicates();
            assertThat(both.stream().mapToLong(Disturbance::from).max().orElseThrow())
                    .as("the last begins before any ends: %s", both)
                    .isLessThan(both.stream().mapToLong(Disturbance::to).min().orElseThrow());
            List<String> words =
                    both.stream().map(Disturbance::fault).distinct().toList();
            assertThat(words).as("%s", both).hasSize(2);
            drawn.add(words);
        }
        return drawn;
    }

    private static long ofServers(List<String> words) {
        return words.stream()
                .filter(word -> !Fault.named(word).strikesClients())
                .count();
    }

    @Test
    void aClientAndAServerAreStruckAtTheSameTime() throws Exception {
        Set<List<String>> drawn = strikeOften(StoreKind.REDIS);
        assertThat(drawn).hasSizeGreaterThan(3).allMatch(words -> ofServers(words) == 1);
        assertThat(drawn.stream().filter(words -> !Fault.named(words.get(0)).strikesClients()))
                .as("those where the server was first")
                .isNotEmpty()
                .hasSizeLessThan(drawn.size());
        assertThat(clients.all()).hasSize(3).allMatch(ClientProcess::isAlive);
    }

    @Test
    void twoClientsAreStruckWhereThereIsNoServer() throws Exception {
        assertThat(strikeOften(StoreKind.SQLITE)).isSubsetOf(List.of("stop", "kill"), List.of("kill", "stop"));
        assertThat(server.done).isEmpty();
    }

    @Test
    void oneClientIsTooFewWhereThereIsNoServer() {
        List<ClientProcess> all = clients.all();
        all.subList(1, all.size()).forEach(client -> {
            client.close();
            clients.all.remove(client);
        });
        Nemesis nemesis = new Nemesis(plan(StoreKind.SQLITE), server, clients, history, new Random(7));
        assertThatThrownBy(nemesis::strike).isInstanceOf(Missing.class);
    }

    @Test
    void theSameSeedStrikesTheSame() throws Exception {
        List<List<String>> drawn = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            int before = seen().size();
            for (int seed = 0; seed < 3; seed++) {
                new Nemesis(plan(StoreKind.REDIS), server, clients, history, new Random(seed)).strike();
            }
            drawn.add(seen().subList(before, seen().size()).stream()
                    .map(Disturbance::fault)
                    .toList());
        }
        assertThat(drawn.get(1)).isEqualTo(drawn.get(0));
    }

    @ParameterizedTest
    @ValueSource(strings = {"STOP", "CONT"})
    void whatFailsReachesTheCallerWhenBothWereHealed(String failing) throws Exception {
        server.failing = failing;
        for (boolean serverFirst : new boolean[] {false, true}) {
            Mixture.Part client = new Mixture.Part(Fault.STOP, clients, new Random(1));
            Mixture.Part ofServer = new Mixture.Part(Fault.SERVER_STOP, clients, new Random(1));
            server.done.clear();
            int before = seen().size();
            Mixture mixture = new Mixture(
                    plan(StoreKind.REDIS),
                    server,
                    history,
                    serverFirst ? ofServer : client,
                    serverFirst ? client : ofServer);
            assertThatThrownBy(mixture::strike).isInstanceOf(IOException.class).hasMessage("cannot " + failing);
            assertThat(server.done).containsExactly("STOP", "CONT");
            List<Disturbance> struck = seen().subList(before, seen().size());
            assertThat(struck.stream().filter(each -> each.fault().equals("stop")))
                    .as("begun, unless the other failed before")
                    .hasSize(serverFirst && failing.equals("STOP") ? 0 : 1)
                    .allMatch(each -> each.to() < Long.MAX_VALUE);
        }
        clients.all().forEach(ClientProcess::finish);
        for (ClientProcess each : clients.all()) {
            assertThat(each.hasEndedWithin(20))
                    .as("one that is stopped does not end")
                    .isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    @DisplayName("Only faults under which holders exclude each other are mixed")
    void onlyFaultsWithExclusionAreMixed(StoreKind store) {
        List<Fault> drawn = new ArrayList<>(Mixture.ofClients(store));
        drawn.addAll(Mixture.ofServers(store));
        assertThat(drawn)
                .doesNotContain(Fault.NONE, Fault.MIXED, Fault.AMNESIA, Fault.FLUSH, Fault.FAIL_OVER)
                .noneMatch(Fault::movesServerClock)
                .allMatch(fault -> Promises.of(Peer.LEASEHOLD, store, fault) == Promise.EXCLUDED);
        assertThat(Promises.of(Peer.LEASEHOLD, store, Fault.MIXED)).isEqualTo(Promise.EXCLUDED);
        if (store.faults().contains(Fault.MIXED)) {
            assertThat(drawn).hasSizeGreaterThan(1).contains(Fault.STOP, Fault.KILL);
        }
    }

    @Test
    void everyStoreHasSomethingToMix() {
        assertThat(Arrays.stream(StoreKind.values()))
                .allMatch(store -> store.faults().contains(Fault.MIXED))
                .noneMatch(store -> Mixture.ofClients(store).isEmpty());
    }
}
