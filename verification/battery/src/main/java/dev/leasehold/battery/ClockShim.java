package dev.leasehold.battery;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A clock shim moves the clocks of processes that are started with its environment, by a library that is loaded before all
 * others and adds offsets from a file. It is compiled with {@code cc}, once for each JVM, and is missing where there is none.
 */
final class ClockShim {

    /** The environment variable that names the file of offsets. */
    static final String OFFSETS = "CLOCKSHIM";

    private static final Optional<Path> LIBRARY = compile();

    private final Path offsets;
    private long wallMicros;
    private long monotonicMicros;

    private ClockShim(Path offsets) {
        this.offsets = offsets;
    }

    /** Returns whether this machine can compile it. */
    static boolean isThere() {
        return LIBRARY.isPresent();
    }

    /** Makes a shim of clocks that are not moved yet, and the file of their offsets. */
    static ClockShim create(Path offsets) throws IOException {
        if (!isThere()) {
            throw new Missing("clocks are moved by a library that cc has to compile, and there is none");
        }
        Files.write(offsets, new byte[2 * Long.BYTES]);
        return new ClockShim(offsets.toAbsolutePath());
    }

    /** Returns the environment that a process has to be started with. */
    Map<String, String> environment() {
        return Map.of("LD_PRELOAD", LIBRARY.orElseThrow().toString(), OFFSETS, offsets.toString());
    }

    /** Sets the wall clock forward, or back. */
    void moveWall(long micros) throws IOException {
        wallMicros += micros;
        write();
    }

    /**
     * Leaves the monotonic clock behind by what a machine has slept, but not the wall clock. The process must be
     * stopped.
     */
    void sleptFor(long micros) throws IOException {
        monotonicMicros -= micros;
        write();
    }

    private void write() throws IOException {
        ByteBuffer both = ByteBuffer.allocate(2 * Long.BYTES).order(ByteOrder.nativeOrder());
        both.putLong(wallMicros).putLong(monotonicMicros);
        try (RandomAccessFile file = new RandomAccessFile(offsets.toFile(), "rw")) {
            file.write(both.array());
        }
    }

    private static Optional<Path> compile() {
        try (InputStream source = ClockShim.class.getResourceAsStream("clockshim.c")) {
            Path directory = Files.createTempDirectory("leasehold-clockshim-");
            Path text = directory.resolve("clockshim.c");
            Path library = directory.resolve("clockshim.so");
            Files.copy(source, text);
            directory.toFile().deleteOnExit(); // After its files: the last one named goes first.
            text.toFile().deleteOnExit();
            library.toFile().deleteOnExit();
            Process compiler = new ProcessBuilder(
                            List.of("cc", "-shared", "-fPIC", "-O2", "-o", library.toString(), text.toString()))
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return compiler.waitFor(30, TimeUnit.SECONDS) && compiler.exitValue() == 0
                    ? Optional.of(library)
                    : Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // No compiler.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
    }
}
