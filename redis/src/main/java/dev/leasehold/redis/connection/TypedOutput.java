package dev.leasehold.redis.connection;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.NestedMultiOutput;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An output that keeps apart a text and what a server says in one line of its own: a status, or a number of any length. In
 * Lettuce both are texts. A script's grant is a text; a line that looks like one is the length of something else, say, whose
 * first byte was spoilt on its way.
 */
final class TypedOutput extends NestedMultiOutput<String, String> {

    /** The only part of an answer, where it is a line. It is no text, but looks like one. */
    private record Line(String text) {
        @Override
        public String toString() {
            return text;
        }
    }

    private boolean isLine;

    TypedOutput(RedisCodec<String, String> codec) {
        super(codec);
    }

    @Override
    public void setSingle(ByteBuffer bytes) {
        isLine = true;
        super.setSingle(bytes);
    }

    @Override
    public void setBigNumber(ByteBuffer bytes) {
        isLine = true;
        super.setBigNumber(bytes);
    }

    @Override
    @SuppressWarnings("NullAway") // Lettuce has no output where the server has said nothing.
    public @Nullable List<Object> get() {
        List<Object> parts = super.get();
        return isLine && parts != null && parts.size() == 1 && parts.get(0) instanceof String text
                ? List.of(new Line(text))
                : parts;
    }
}
