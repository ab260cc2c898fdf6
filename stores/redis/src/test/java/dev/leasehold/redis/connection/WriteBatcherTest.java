package dev.leasehold.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The moments at which commands are written, and the batches. */
class WriteBatcherTest {

    private static final int FEW = 32;
    private static final int ENOUGH = 128;

    private final List<List<Object>> writes = new ArrayList<>();
    private boolean broken;

    @SuppressWarnings("unchecked")
    private final WriteBatcher batcher =
            new WriteBatcher((StatefulRedisConnection<String, String>) Proxy.newProxyInstance(
                    WriteBatcherTest.class.getClassLoader(),
                    new Class<?>[] {StatefulRedisConnection.class},
                    (proxy, method, args) -> {
                        assertThat(method.getName()).isEqualTo("dispatch");
                        if (broken) {
                            throw new IllegalStateException("broken");
                        }
                        writes.add(args[0] instanceof Collection<?> many ? List.copyOf(many) : List.of(args[0]));
                        return args[0];
                    }));

    private final List<AsyncCommand<String, String, List<Object>>> sent = new ArrayList<>();

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            AsyncCommand<String, String, List<Object>> command =
                    new AsyncCommand<>(new Command<>(CommandType.PING, new NestedMultiOutput<>(StringCodec.UTF8)));
            sent.add(command);
            batcher.send(command);
        }
    }

    private void answer(int from, int to) {
        sent.subList(from, to).forEach(command -> command.complete(List.of()));
    }

    private List<Object> written() {
        List<Object> all = new ArrayList<>();
        writes.forEach(all::addAll);
        return all;
    }

    @Test
    void whileFewAreUnderWayEachIsWrittenAtOnce() {
        send(FEW);
        assertThat(writes).hasSize(FEW);
        answer(0, FEW);
        send(1);
        assertThat(writes).hasSize(FEW + 1);
    }

    @Test
    void onceManyAreUnderWayTheyAreWrittenTogether() {
        send(FEW + ENOUGH - 1);
        assertThat(writes).hasSize(FEW);
        send(1);
        assertThat(writes).hasSize(FEW + 1);
        assertThat(writes.get(FEW)).hasSize(ENOUGH);
        assertThat(written()).isEqualTo(sent);
    }

    @Test
    void theBatchIsWrittenWhenFewCommandsAreLeft() {
        send(FEW + 10);
        answer(0, 1);
        assertThat(written()).isEqualTo(sent);
        assertThat(writes).hasSize(FEW + 1);
    }

    @Test
    void theBatchIsKeptWhileManyCommandsAreUnderWay() {
        send(FEW + ENOUGH + 10);
        answer(0, 1);
        assertThat(writes).hasSize(FEW + 1);
    }

    @Test
    void commandsThatAreGivenUpMakeRoomAndAreNotWritten() {
        send(FEW + 3);
        sent.get(FEW + 1).completeExceptionally(new IllegalStateException("given up"));
        assertThat(writes).hasSize(FEW);
        sent.get(0).completeExceptionally(new IllegalStateException("given up"));
        assertThat(writes.get(FEW)).containsExactly(sent.get(FEW), sent.get(FEW + 2));
    }

    @Test
    void nothingIsWrittenTwiceAndNothingIsForgotten() {
        send(1000);
        for (int i = 0; i < 1000; i++) {
            answer(i, i + 1);
        }
        assertThat(written()).isEqualTo(sent);
    }

    @Test
    void afterClosingNothingIsWritten() {
        send(FEW + 3);
        batcher.close();
        answer(0, FEW);
        send(1);
        assertThat(writes).hasSize(FEW);
    }

    @Test
    void aCommandThatCannotBeWrittenFailsAndMakesRoom() {
        broken = true;
        send(FEW + 10);
        assertThat(sent).allMatch(AsyncCommand::isCompletedExceptionally);
        broken = false;
        send(FEW);
        assertThat(written()).isEqualTo(sent.subList(FEW + 10, sent.size()));
    }
}
