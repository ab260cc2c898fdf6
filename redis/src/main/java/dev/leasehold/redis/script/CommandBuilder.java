package dev.leasehold.redis.script;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * A command builder puts the arguments of one command together from {@link EncodedArgs}. Lettuce writes each anew, in five
 * pieces.
 */
public final class CommandBuilder {

    private final List<byte[]> pieces = new ArrayList<>(8);
    private int count;
    private int length;

    public CommandBuilder add(EncodedArgs words) {
        pieces.add(words.bytes());
        count += words.count();
        length += words.bytes().length;
        return this;
    }

    public CommandBuilder add(String argument) {
        return add(EncodedArgs.of(argument));
    }

    public CommandBuilder add(long argument) {
        return add(Long.toString(argument));
    }

    /** For the command; nothing may be added any more. */
    public CommandArgs<String, String> args() {
        return new Args();
    }

    private final class Args extends CommandArgs<String, String> {

        Args() {
            super(StringCodec.UTF8);
        }

        @Override
        public int count() {
            return count;
        }

        @Override
        public void encode(ByteBuf out) {
            out.ensureWritable(length);
            for (byte[] piece : pieces) {
                out.writeBytes(piece);
            }
        }
    }
}
