package dev.leasehold.cli;

import dev.leasehold.inspect.ClientDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * An owner is a client as it describes itself to the store: {@code host=H pid=P label=L}, the label last and free. A
 * description in another form (of another version, another program) is shown whole, in the place of the label.
 */
record Owner(String host, String pid, String label) {

    private static final Path HOST = Path.of("/proc/sys/kernel/hostname");

    static Owner parse(String text) {
        ClientDescription client = ClientDescription.parse(text);
        return new Owner(client.host(), client.pid() == 0 ? "" : Long.toString(client.pid()), client.label());
    }

    /** Returns this process as an owner; the host is empty where the kernel does not tell it in a file. */
    static Owner here() {
        String host;
        try {
            host = Files.readString(HOST).strip().replaceAll("\\s+", "_");
        } catch (IOException e) {
            host = "";
        }
        return new Owner(host, Long.toString(ProcessHandle.current().pid()), "");
    }

    /**
     * Returns whether another owner is the same process. Process ids are numbers of one host: another's may be the
     * same.
     */
    boolean isSameProcess(Owner other) {
        return pid.equals(other.pid) && (other.host.isEmpty() || host.equals(other.host));
    }

    /** Returns the owner on one line, for a sentence. */
    String words() {
        String where = (pid.isEmpty() ? "" : "pid " + pid) + (host.isEmpty() ? "" : " on " + host);
        String what = label.isEmpty() ? "" : " (" + label + ")";
        String all = Escapes.shown((where + what).strip());
        return all.isEmpty() ? "an unknown client" : all;
    }
}
