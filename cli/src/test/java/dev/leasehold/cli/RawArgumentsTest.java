package dev.leasehold.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RawArgumentsTest {

    @Test
    void everyByteSurvives() {
        byte[] all = new byte[255];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i + 1);
        }
        byte[] joined = java.util.Arrays.copyOf(all, 256);
        String argument = RawArguments.split(joined).get(0);

        assertThat(RawArguments.bytes(argument)).isEqualTo(all);
    }

    @Test
    void whatIsUtf8IsRead() {
        byte[] joined = "a\0é😀\0\0".getBytes(StandardCharsets.UTF_8);

        assertThat(RawArguments.split(joined)).containsExactly("a", "é😀", "");
    }

    @Test
    void whatIsNotUtf8IsNoName() {
        byte[] joined = {'a', (byte) 0xE9, 'b', (byte) 0xF0, (byte) 0x9F, 0};
        String argument = RawArguments.split(joined).get(0);

        assertThat(argument).isEqualTo("a\uDCE9b\uDCF0\uDC9F");
        assertThat(RawArguments.bytes(argument))
                .isEqualTo(new byte[] {'a', (byte) 0xE9, 'b', (byte) 0xF0, (byte) 0x9F});
    }
}
