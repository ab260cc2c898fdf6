package dev.leasehold.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The store password comes from where the list of processes does not show it. */
final class StorePassword {

    static final String PASSWORD = "LEASEHOLD_STORE_PASSWORD";
    static final String FILE = "LEASEHOLD_STORE_PASSWORD_FILE";

    private StorePassword() {}

    /**
     * Finds the password: the option comes before the environment.
     *
     * @return null if there is none
     */
    static @Nullable String find(@Nullable Path option, Map<String, String> environment) {
        if (option != null) {
            return read(option);
        }
        String password = environment.getOrDefault(PASSWORD, "");
        String file = environment.getOrDefault(FILE, "");
        if (!password.isEmpty() && !file.isEmpty()) {
            throw new IllegalArgumentException(PASSWORD + " and " + FILE + " are both set; which one is meant?");
        }
        return !file.isEmpty() ? read(Path.of(file)) : password.isEmpty() ? null : password;
    }

    private static String read(Path file) {
        try {
            String password = Files.readString(file).lines().findFirst().orElse("");
            if (password.isEmpty()) {
                throw new Failure(ExitStatus.USAGE, "the file for the store's password, " + file + ", is empty");
            }
            return password;
        } catch (IOException e) {
            throw new Failure(ExitStatus.USAGE, "the file for the store's password cannot be read: " + e);
        }
    }
}
