package dev.leasehold.redis.connection;

import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.output.NestedMultiOutput;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server's answer as a list, as {@link NestedMultiOutput} reads it. Most answers are one number or one text: for those
 * it does without the rest.
 */
final class Answer extends CommandOutput<String, String, List<Object>> {

    private @Nullable NestedMultiOutput<String, String> nested;

    Answer() {
        super(Wire.CODEC, List.of());
    }

    @Override
    public List<Object> get() {
        return nested == null ? output : nested.get();
    }

    @Override
    public void multi(int count) {
        many().multi(count);
    }

    @Override
    public void complete(int depth) {
        if (nested != null) {
            nested.complete(depth);
        }
    }

    @Override
    public void set(long number) {
        if (isOne()) {
            output = List.of(number);
        } else {
            many().set(number);
        }
    }

    @Override
    public void set(double number) {
        if (isOne()) {
            output = List.of(number);
        } else {
            many().set(number);
        }
    }

    @Override
    public void set(@Nullable ByteBuffer bytes) {
        if (bytes != null && isOne()) {
            output = List.of(Wire.CODEC.decodeValue(bytes));
        } else {
            many().set(bytes);
        }
    }

    @Override
    public void setSingle(@Nullable ByteBuffer bytes) {
        if (bytes != null && isOne()) {
            output = List.of(Wire.CODEC.decodeValue(bytes));
        } else {
            many().setSingle(bytes);
        }
    }

    private boolean isOne() {
        return nested == null;
    }

    private NestedMultiOutput<String, String> many() {
        NestedMultiOutput<String, String> all = nested;
        if (all == null) {
            all = new NestedMultiOutput<>(Wire.CODEC);
            nested = all;
        }
        return all;
    }
}
