package dev.leasehold.redis.script;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.CommandArgs;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;

/**
 * A command builder puts the arguments of one command together: {@link EncodedArgs}, which are written as they are, and texts,
 * which are encoded where they are written. Lettuce writes each argument in five pieces, and copies each text first.
 */
public final class CommandBuilder {

    /** Framing adds about this many bytes to a text. */
    private static final int AROUND = 8;

    /** These are bytes, which are encoded, and texts, which are not yet. */
    private final List<Object> pieces = new ArrayList<>(10);

    private int count;
    private int length;

    public CommandBuilder add(EncodedArgs args) {
        pieces.add(args.bytes());
        count += args.count();
        length += args.bytes().length;
        return this;
    }

    public CommandBuilder add(String argument) {
        pieces.add(argument);
        count++;
        length += argument.length() + AROUND;
        return this;
    }

    public CommandBuilder add(long argument) {
        return add(Long.toString(argument));
    }

    /** Returns the command's arguments; nothing may be added any more. */
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
            for (Object piece : pieces) {
                if (piece instanceof byte[] encoded) {
                    out.writeBytes(encoded);
                } else {
                    write((String) piece, out);
                }
            }
        }
    }

    private static void write(String argument, ByteBuf out) {
        out.writeByte('$');
        writeNumber(ByteBufUtil.utf8Bytes(argument), out);
        out.writeByte('\r').writeByte('\n');
        ByteBufUtil.writeUtf8(out, argument);
        out.writeByte('\r').writeByte('\n');
    }

    private static void writeNumber(int number, ByteBuf out) {
        if (number >= 10) {
            writeNumber(number / 10, out);
        }
        out.writeByte('0' + number % 10);
    }
}
