package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.connection.RedisConnection;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Arguments that are encoded in advance equal those that Lettuce would have encoded. */
public class EncodedArgsTest {

    private static final String LONG = "ü€|\r\n".repeat(50);

    /** The arguments that words are. */
    public static String[] arguments(List<EncodedArgs> words) {
        List<String> arguments = new ArrayList<>();
        for (EncodedArgs one : words) {
            ByteBuf all = Unpooled.wrappedBuffer(one.bytes());
            for (int i = 0; i < one.count(); i++) {
                assertThat(all.readByte()).isEqualTo((byte) '$');
                int end = all.indexOf(all.readerIndex(), all.writerIndex(), (byte) '\r');
                int length = Integer.parseInt(text(all, end - all.readerIndex()));
                assertThat(text(all, 2)).isEqualTo("\r\n");
                arguments.add(text(all, length));
                assertThat(text(all, 2)).isEqualTo("\r\n");
            }
            assertThat(all.isReadable()).isFalse();
        }
        return arguments.toArray(String[]::new);
    }

    private static String text(ByteBuf from, int length) {
        return from.readCharSequence(length, StandardCharsets.UTF_8).toString();
    }

    private static String encoded(CommandArgs<String, String> args) {
        ByteBuf out = Unpooled.buffer(1);
        new Command<String, String, String>(CommandType.EVALSHA, null, args).encode(out);
        return out.toString(StandardCharsets.UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aCommandIsWhatLettuceWouldWrite() {
        CommandBuilder command = new CommandBuilder()
                .add("script")
                .add(EncodedArgs.of(bytes("2"), bytes("one"), bytes(LONG)))
                .add(EncodedArgs.of(LONG))
                .add(-12L)
                .add("")
                .add("Schlüssel € 😀")
                .add("x".repeat(1234));
        CommandArgs<String, String> usual = new CommandArgs<>(RedisConnection.CODEC)
                .add("script")
                .add(2)
                .addKey("one")
                .addKey(LONG)
                .add(bytes(LONG))
                .add(-12)
                .add("")
                .add("Schlüssel € 😀")
                .add("x".repeat(1234));
        assertThat(encoded(command.args())).isEqualTo(encoded(usual));
    }

    @Test
    void argumentsAreCountedAndCanBeReadBack() {
        EncodedArgs three = EncodedArgs.of(bytes("a"), bytes(""), bytes(LONG));
        assertThat(three.count()).isEqualTo(3);
        assertThat(arguments(List.of(three, EncodedArgs.of("b")))).containsExactly("a", "", LONG, "b");
        assertThat(EncodedArgs.of("b"))
                .isEqualTo(EncodedArgs.of(bytes("b")))
                .hasSameHashCodeAs(EncodedArgs.of("b"))
                .isNotEqualTo(EncodedArgs.of("c"))
                .hasToString("$1\r\nb\r\n");
    }
}
