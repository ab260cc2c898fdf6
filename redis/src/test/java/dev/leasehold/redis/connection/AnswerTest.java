package dev.leasehold.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.RedisStateMachine;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An answer is what Lettuce's own output makes of it. */
class AnswerTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                ":12\r\n",
                "+OK\r\n",
                "$2\r\nü\r\n",
                "$0\r\n\r\n",
                "$-1\r\n",
                "*-1\r\n",
                "*0\r\n",
                "*3\r\n:1\r\n$-1\r\n$2\r\nab\r\n",
                "*2\r\n$1\r\n0\r\n*2\r\n$1\r\na\r\n*1\r\n:7\r\n",
                ",1.5\r\n",
                "-ERR no\r\n",
                "*2\r\n:1\r\n-ERR no\r\n",
            })
    void isWhatLettuceReads(String text) {
        CommandOutput<String, String, List<Object>> ours = new Answer();
        CommandOutput<String, String, List<Object>> theirs = new NestedMultiOutput<>(Wire.CODEC);
        read(text, ours);
        read(text, theirs);
        assertThat(ours.get()).isEqualTo(theirs.get());
        assertThat(ours.hasError()).isEqualTo(theirs.hasError());
        assertThat(ours.getError()).isEqualTo(theirs.getError());
    }

    private static void read(String text, CommandOutput<?, ?, ?> output) {
        boolean whole =
                new RedisStateMachine().decode(Unpooled.wrappedBuffer(text.getBytes(StandardCharsets.UTF_8)), output);
        assertThat(whole).isTrue();
    }
}
