package dev.leasehold.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.LockInfo;
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
}
