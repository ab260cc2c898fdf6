package dev.leasehold.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.redis.connection.Wire;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is written in advance has to be what Lettuce would have written. */
public class WordsTest {

    private static final String LONG = "ü€|\r\n".repeat(50);

    /** The arguments that words are. */
    public static String[] arguments(List<Words> words) {
        List<String> arguments = new ArrayList<>();
        for (Words one : words) {
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
    void aLetterIsWhatLettuceWouldWrite() {
        Letter letter = new Letter()
                .add("script")
                .add(Words.of(bytes("2"), bytes("one"), bytes(LONG)))
                .add(Words.of(LONG))
                .add(-12L)
                .add("");
        CommandArgs<String, String> usual = new CommandArgs<>(Wire.CODEC)
                .add("script")
                .add(2)
                .addKey("one")
                .addKey(LONG)
                .add(bytes(LONG))
                .add(-12)
                .add("");
        assertThat(encoded(letter.args())).isEqualTo(encoded(usual));
    }

    @Test
    void wordsAreCountedAndCanBeReadBack() {
        Words three = Words.of(bytes("a"), bytes(""), bytes(LONG));
        assertThat(three.count()).isEqualTo(3);
        assertThat(arguments(List.of(three, Words.of("b")))).containsExactly("a", "", LONG, "b");
        assertThat(Words.of("b"))
                .isEqualTo(Words.of(bytes("b")))
                .hasSameHashCodeAs(Words.of("b"))
                .isNotEqualTo(Words.of("c"))
                .hasToString("$1\r\nb\r\n");
    }
}
