package dev.leasehold.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/** Where messages go. Always UTF-8: what was given in bytes is shown in the same bytes, whatever the locale. */
record Terminal(PrintWriter out, PrintWriter err) {

    static Terminal standard() {
        return new Terminal(writer(FileDescriptor.out), writer(FileDescriptor.err));
    }

    /** A message, on one line of standard error. */
    void say(String message) {
        err.println("leasehold: " + message);
        err.flush();
    }

    private static PrintWriter writer(FileDescriptor descriptor) {
        return new PrintWriter(new FileOutputStream(descriptor), false, StandardCharsets.UTF_8);
    }
}
