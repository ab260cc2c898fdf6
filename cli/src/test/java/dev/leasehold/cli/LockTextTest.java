package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.doctor.NodeAnswer;
import dev.leasehold.inspect.HolderInfo;
import dev.leasehold.inspect.LockInfo;
import dev.leasehold.inspect.WaiterInfo;
import dev.leasehold.spi.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** These tests are about locks as a table, as JSON and in sentences, with what strangers may have written into them. */
class LockTextTest {

    private static final Instant NOON = Instant.parse("2026-01-02T12:00:00Z");

    private static final LockInfo NASTY = new LockInfo(
            "a\nb\u001b[2J\"\\😀\u202e",
            new HolderInfo(
                    "host=h1 pid=42 label=make \"all\"\t",
                    1795183388022160L,
                    NOON,
                    NOON.plusSeconds(30),
                    Duration.ofSeconds(30)),
            List.of(
                    new WaiterInfo("host=h2 pid=43 label=", 1, NOON),
                    new WaiterInfo("some other\u0000 program", 2, null)));

    @Test
    void jsonIsEscaped() {
        assertThat(LockJson.of(NASTY))
                .isEqualTo(
                        "{\"name\":\"a\\nb\\u001b[2J\\\"\\\\😀\\u202e\","
                                + "\"holders\":[{\"host\":\"h1\",\"pid\":42,\"command\":\"make \\\"all\\\"\\t\",\"kept\":false,"
                                + "\"token\":1795183388022160,\"share\":1,\"slot\":null,\"since\":\"2026-01-02T12:00:00Z\",\"until\":\"2026-01-02T12:00:30Z\","
                                + "\"timeLeftMillis\":30000}],"
                                + "\"waiters\":[{\"place\":1,\"host\":\"h2\",\"pid\":43,\"command\":\"\",\"share\":1,\"since\":\"2026-01-02T12:00:00Z\"},"
                                + "{\"place\":2,\"host\":\"\",\"pid\":null,\"command\":\"some other\\u0000 program\",\"share\":1,\"since\":null}],\"disagreement\":[]}");
        assertThat(Escapes.json("\ud83d")).isEqualTo("\"\\ud83d\"");
        assertThat(LockJson.of(List.of())).isEqualTo("[]");
        assertThat(LockJson.of(new LockInfo("x", null, List.of())))
                .isEqualTo("{\"name\":\"x\",\"holders\":[],\"waiters\":[],\"disagreement\":[]}");
    }

    @Test
    @DisplayName("The table has one line per holder and waiter and moves no cursor")
    void theTableHasOneLinePerHolderAndWaiter() {
        String table = LockTable.of(List.of(NASTY), "");

        assertThat(table.lines()).hasSize(4);
        assertThat(table.codePoints().filter(c -> c != '\n')).noneMatch(Character::isISOControl);
        assertThat(table)
                .contains("a\\nb\\u001b[2J\"\\\\😀\\u202e")
                .contains("make \"all\"\\t")
                .doesNotContain("\u202e");
        assertThat(table.lines().map(line -> line.indexOf("h1"))).anyMatch(i -> i > 0);
        List<String> lines = table.lines().toList();
        assertThat(columnOf(lines.get(1), "h1")).isEqualTo(columnOf(lines.get(0), "HOST"));
    }

    @Test
    void nodesThatSayOtherwiseAreNamed() {
        LockInfo split = new LockInfo(
                "x", List.of(), List.of(), List.of(new NodeAnswer("redis://a:1", "held by host=h\npid=1, token 7")));

        assertThat(LockTable.of(List.of(split), "").lines().skip(1))
                .containsExactly(
                        "x     no majority  -     -    -        -      -      -",
                        "",
                        "Not all nodes agree on 'x':",
                        "  redis://a:1: held by host=h\\npid=1, token 7");
        assertThat(LockJson.of(split))
                .endsWith(
                        "\"disagreement\":[{\"node\":\"redis://a:1\",\"answer\":\"held by host=h\\npid=1, token 7\"}]}");
    }

    private static final LockInfo SHARED = new LockInfo(
            "api",
            List.of(
                    new HolderInfo("host=h1 pid=1 label=a", 7, 3, OptionalInt.of(0), NOON, NOON, Duration.ZERO),
                    new HolderInfo(
                            "host=h2 pid=2 label=b",
                            9,
                            Claim.UNLIMITED,
                            OptionalInt.empty(),
                            NOON,
                            NOON,
                            Duration.ZERO)),
            List.of(new WaiterInfo("host=h3 pid=3 label=c", 1, 1, NOON)),
            List.of());

    @Test
    void allWhoShareALockAreShownWithShareAndSlot() {
        List<String> lines = LockTable.of(List.of(SHARED), "prod").lines().toList();
        assertThat(lines.get(0)).startsWith("NAMESPACE  NAME").endsWith("TOKEN  SHARE  SLOT");
        assertThat(lines.get(1)).startsWith("prod ").contains(" holder ").endsWith("7      3      0");
        assertThat(lines.get(2)).contains(" holder ").endsWith("9      any    -");
        assertThat(lines.get(3)).contains(" waiter 1 ").endsWith("-      alone  -");
        assertThat(LockTable.of(List.of(NASTY, SHARED), "").lines().skip(1))
                .allMatch(line -> line.matches(".*  (alone|any|3) +[-0]"));
        String json = LockJson.of(SHARED);
        assertThat(json)
                .contains("\"token\":7,\"share\":3,\"slot\":0,")
                .contains("\"token\":9,\"share\":null,\"slot\":null,")
                .contains("\"command\":\"c\",\"share\":1,");
        assertThat(WaitReport.words(SHARED, new Owner("h3", "3", "")))
                .contains("held by pid 1 on h1 (a) since ")
                .contains(" and one other; place 1 of 1");
        assertThat(WaitReport.words(SHARED, new Owner("h2", "2", ""))).isEmpty();
    }

    private static int columnOf(String line, String word) {
        return line.codePointCount(0, line.indexOf(word));
    }

    @Test
    void anOwnerIsReadLeniently() {
        assertThat(Owner.parse("host=h pid=7 label=a b=c")).isEqualTo(new Owner("h", "7", "a b=c"));
        assertThat(Owner.parse("host=h pid=7")).isEqualTo(new Owner("h", "7", ""));
        assertThat(Owner.parse("redis-cli")).isEqualTo(new Owner("", "", "redis-cli"));
        assertThat(Owner.parse("").words()).isEqualTo("an unknown client");
        assertThat(Owner.parse("host=h pid=7 label=x\ny").words()).isEqualTo("pid 7 on h (x\\ny)");
    }

    @Test
    void aWaitIsToldInOneLine() {
        assertThat(WaitReport.words(NASTY, new Owner("h2", "43", "")))
                .startsWith("waiting for the lock 'a\\nb")
                .contains("held by pid 42 on h1 (make \"all\"\\t) since ")
                .endsWith("; place 1 of 2 in the queue")
                .doesNotContain("\n");
        assertThat(WaitReport.words(null, Owner.here())).isEmpty();
    }

    @Test
    void aProcessOfAnotherHostWithOurNumberIsNotTakenForUs() {
        assertThat(WaitReport.words(NASTY, new Owner("h2", "42", "")))
                .contains("held by pid 42 on h1")
                .doesNotContain("; place");
        assertThat(WaitReport.words(NASTY, new Owner("h1", "43", ""))).doesNotContain("; place");
        assertThat(WaitReport.words(NASTY, new Owner("h1", "42", ""))).isEmpty();
        assertThat(WaitReport.words(NASTY, new Owner("", "43", ""))).endsWith("; place 1 of 2 in the queue");
    }

    @Test
    void statementsToBeCopiedKeepTheirLines() {
        assertThat(Escapes.lines("no table; run:\ncreate table a (\n  b int);\n"))
                .isEqualTo("no table; run:\n  create table a (\n    b int);");
        assertThat(Escapes.lines("\u001b[2J\nleasehold: forged\nCREATE TABLE a"))
                .isEqualTo("\\u001b[2J\n  leasehold: forged\n  CREATE TABLE a");
    }

    @Test
    void whatADriverSaysInSeveralLinesIsOneLine() {
        assertThat(Escapes.lines("link failure\n\nThe last packet\n was \u001b sent; check it"))
                .isEqualTo("link failure The last packet was \\u001b sent; check it");
    }
}
