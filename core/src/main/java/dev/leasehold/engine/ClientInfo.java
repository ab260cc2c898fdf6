package dev.leasehold.engine;

import dev.leasehold.inspect.ClientDescription;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Client information describes this process for people. */
final class ClientInfo {

    private ClientInfo() {}

    static String describe(String label) {
        return new ClientDescription(host(), ProcessHandle.current().pid(), label).text();
    }

    /** Returns the host's name without asking the network: resolving one's own name can take seconds. */
    private static String host() {
        for (String source : new String[] {"/proc/sys/kernel/hostname", "/etc/hostname"}) {
            String name = contents(source);
            if (!name.isEmpty()) {
                return name.replaceAll("\\s+", "_");
            }
        }
        String name = System.getenv("COMPUTERNAME") != null ? System.getenv("COMPUTERNAME") : System.getenv("HOSTNAME");
        return name == null || name.isBlank() ? "unknown" : name.strip().replaceAll("\\s+", "_");
    }

    private static String contents(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "";
        }
    }
}
