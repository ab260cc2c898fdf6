package dev.leasehold.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The terminal is what the program was started with: its standard output and error, and its environment. Always UTF-8: what
 * was given in bytes is shown in the same bytes, whatever the locale.
 */
record Terminal(PrintWriter out, PrintWriter err, Map<String, String> environment) {

    static Terminal standard() {
        return new Terminal(writer(FileDescriptor.out), writer(FileDescriptor.err), System.getenv());
    }

    /** The environment may have passwords. */
    @Override
    public String toString() {
        return "terminal";
    }

    /** Writes a message, on one line of standard error. */
    void say(String message) {
        err.println("leasehold: " + message);
        err.flush();
    }

    /**
     * Has all that was printed so far reach standard output, or says why it cannot: a full disk must not look like no
     * locks.
     */
    void flush() {
        if (out.checkError()) {
            throw new Failure(ExitStatus.OUTPUT, "not all could be written to standard output");
        }
    }

    private static PrintWriter writer(FileDescriptor descriptor) {
        return new PrintWriter(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
    }
}
