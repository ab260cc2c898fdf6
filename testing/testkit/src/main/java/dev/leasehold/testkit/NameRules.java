package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.inspect.LockInfo;
import dev.leasehold.spi.Claim;
import dev.leasehold.spi.LeaseId;
import dev.leasehold.spi.ReleaseAnswer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Name rules say that names are data: no two are the same, whatever they are made of, and none does anything. */
interface NameRules extends StoreRules {

    /** Words that some store has in names of its own. */
    List<String> RESERVED = List.of(
            "queue",
            "leasehold",
            "lock",
            "locks",
            "clients",
            "waiter",
            "token",
            "inbox",
            "fence",
            "plain",
            "quorum",
            "marker",
            "shared",
            "kept");

    /** Returns names that a store might mistake for one another, or for something other than a name. */
    static List<String> oddNames() {
        List<String> names = new ArrayList<>(List.of(
                "a",
                "A",
                "a ",
                " a",
                " ",
                "a\t",
                "a\n",
                "a\r\n",
                "\n",
                "á",
                "a\u0301",
                "å",
                "Å",
                "ａ",
                "ß",
                "ss",
                "ı",
                "İ",
                "../a",
                "/",
                "//",
                "a/b",
                "a//b",
                ".",
                "..",
                "a.b",
                "a:b",
                "a::b",
                ":",
                "-",
                "_",
                "%",
                "%25",
                "%2F",
                "a%b",
                "*",
                "?",
                "\\",
                "\\*",
                "'",
                "''",
                "\"",
                "`",
                "'; DROP TABLE leasehold_lock; --",
                "${jndi:a}",
                "$(id)",
                "{a}",
                "{a",
                "a}",
                "{}",
                "{{a}}",
                "null",
                "NULL",
                "0",
                "00",
                "1e3",
                "\u0001",
                "\u007f",
                "\u200b",
                "\ufeff",
                "\ufffd",
                "\ud83d\ude00",
                "\ud83d\ude01",
                "日本",
                "🔒🔑"));
        names.add("x".repeat(512));
        names.add("x".repeat(511) + "y");
        names.add("é".repeat(256));
        names.add("🔒".repeat(128));
        return names;
    }

    @Test
    default void everyNameIsALockOfItsOwn() {
        StoreClient client = fixture().client(UUID.randomUUID().toString());
        Map<String, LeaseId> held = new HashMap<>();
        for (String name : oddNames()) {
            held.put(name, client.acquire(name).lease());
        }
        assertThat(client.inspect("*")).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(held.keySet());
        held.forEach((name, lease) -> {
            assertThat(client.holder(name).token()).isEqualTo(lease.token());
            assertThat(client.has(lease)).isTrue();
            assertThat(client.release(lease)).isEqualTo(ReleaseAnswer.RELEASED);
        });
        assertThat(client.inspect("*")).isEmpty();
    }

    @Test
    default void everyNameCanBeQueuedForAndBroken() {
        String namespace = UUID.randomUUID().toString();
        StoreClient holder = fixture().client(namespace);
        StoreClient waiter = fixture().client(namespace);
        for (String name : oddNames()) {
            LeaseId lease = holder.acquire(name).lease();
            Claim claim = waiter.join(name);
            assertThat(holder.breakLease(name, lease.token())).isTrue();
            waiter.withdraw(claim);
        }
        assertThat(holder.inspect("*")).isEmpty();
    }

    @Test
    default void namespacesAndNamesCannotBeMistakenForOneAnother() {
        String unique = UUID.randomUUID().toString().replace("-", "");
        String[][] pairs = {
            {"", unique},
            {"n" + unique, "x"},
            {"n", unique + "x"},
            {"n" + unique, ".x"},
            {"n" + unique + ".", "x"},
            {"n" + unique, ":x"},
            {"", "n" + unique + ":x"},
            {"", "n" + unique + "::x"},
            {"", "n" + unique + ".x"},
            {"", "n" + unique + "x"},
            {"N" + unique, "x"},
            {"", "n" + unique + "/x"},
            {"n-", unique},
            {"n_", unique}
        };
        for (String[] pair : pairs) {
            fixture().client(pair[0]).acquire(pair[1]);
        }
        assertThat(fixture().client("n" + unique).inspect("*"))
                .extracting(LockInfo::name)
                .containsExactlyInAnyOrder("x", ".x", ":x");
    }

    /** Words that a store uses in its own keys, tables and paths are namespaces and names as all others. */
    @Test
    default void noWordIsReserved() {
        List<String> names = new ArrayList<>(RESERVED);
        names.add("a");
        for (String word : List.of("token", "queue")) {
            names.addAll(List.of("a:" + word, "a}:" + word, "{a}:" + word, "(" + word + ")"));
        }
        Map<StoreClient, List<LeaseId>> held = new HashMap<>();
        hold(held, "", names);
        for (String namespace : RESERVED.subList(1, RESERVED.size())) {
            hold(held, namespace, List.of("a", "lock", "queue", "fence"));
        }
        StoreClient waiter = hold(held, RESERVED.get(0), names);
        List<Claim> waiting = names.stream().map(waiter::join).toList();
        held.forEach((client, leases) -> {
            for (LeaseId lease : leases) {
                assertThat(client.has(lease)).as(lease.lock()).isTrue();
            }
        });
        assertThat(waiter.inspect("*")).extracting(LockInfo::name).containsExactlyInAnyOrderElementsOf(names);
        waiting.forEach(waiter::withdraw);
        held.forEach((client, leases) -> {
            for (LeaseId lease : leases) {
                assertThat(client.release(lease)).as(lease.lock()).isEqualTo(ReleaseAnswer.RELEASED);
            }
        });
        assertThat(waiter.inspect("*")).isEmpty();
    }

    private StoreClient hold(Map<StoreClient, List<LeaseId>> held, String namespace, List<String> names) {
        StoreClient client = fixture().client(namespace);
        held.put(
                client, names.stream().map(name -> client.acquire(name).lease()).toList());
        return client;
    }
}
