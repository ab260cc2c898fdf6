package dev.leasehold.battery;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A machine clock is the machine's monotonic clock, also in a process whose own one is moved by a {@link ClockShim}: what
 * the shim adds is taken off again, and the time is read anew if that has changed meanwhile.
 */
final class MachineClock {

    private static final VarHandle NUMBER =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
    private static final ByteBuffer OFFSETS = map();

    private MachineClock() {}

    static long nanoTime() {
        if (OFFSETS == null) {
            return System.nanoTime();
        }
        while (true) {
            long before = offsetMicros();
            long time = System.nanoTime();
            if (offsetMicros() == before) {
                return time - before * 1_000;
            }
        }
    }

    private static long offsetMicros() {
        return (long) NUMBER.getVolatile(OFFSETS, Long.BYTES);
    }

    private static ByteBuffer map() {
        String offsets = System.getenv(ClockShim.OFFSETS);
        if (offsets == null) {
            return null;
        }
        try (FileChannel file = FileChannel.open(Path.of(offsets))) {
            return file.map(FileChannel.MapMode.READ_ONLY, 0, 2 * Long.BYTES);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
