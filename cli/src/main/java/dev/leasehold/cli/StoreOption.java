package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.spi.StoreUri;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --store}, for all commands. */
final class StoreOption {

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = {
                "Where the locks live, for example sqlite:/var/lib/app/locks.db.",
                "Default: $LEASEHOLD_STORE, else an SQLite file in $XDG_STATE_HOME/leasehold or ~/.local/state/leasehold."
            })
    @Nullable String uri;

    @Option(
            names = "--store-password-file",
            paramLabel = "FILE",
            description = {
                "A file whose first line is the password for the store.",
                "Default: $LEASEHOLD_STORE_PASSWORD_FILE; or the password itself in $LEASEHOLD_STORE_PASSWORD, or in the URI "
                        + "in $LEASEHOLD_STORE."
            })
    @Nullable Path passwordFile;

    Leasehold connect(String label) {
        if (uri != null && StoreUri.hasPassword(uri)) {
            throw new IllegalArgumentException(
                    "--store has a password in it, which every user of this machine could read in the list of processes; "
                            + "put it into a file and name that with --store-password-file, or set LEASEHOLD_STORE_PASSWORD, or "
                            + "give the URI in LEASEHOLD_STORE");
        }
        String store = uri();
        if (store.startsWith("memory:")) {
            throw new IllegalArgumentException(
                    "a store in memory is seen by this process alone, so its locks would keep"
                            + " nobody out; name one that others see, for example sqlite:/var/lib/app/locks.db");
        }
        String password = StorePassword.find(passwordFile, System.getenv());
        return Leasehold.builder()
                .uri(store, password == null ? Map.of() : Map.of("password", password))
                .label(label)
                .build();
    }

    private String uri() {
        return uri != null ? uri : defaultUri(System.getenv(), System.getProperty("user.home"));
    }

    /** The store without credentials. */
    String shown() {
        return StoreUri.parse(uri()).toString();
    }

    /** How this store is named to another command of ours; empty for the default. */
    String argument() {
        return uri == null ? "" : "--store " + Escapes.shellWord(uri) + " ";
    }

    static String defaultUri(Map<String, String> environment, String home) {
        String given = environment.getOrDefault("LEASEHOLD_STORE", "");
        if (!given.isEmpty()) {
            return given;
        }
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        // The specification of XDG_STATE_HOME says that a relative path is to be ignored.
        String directory = state.startsWith("/") ? state : environment.getOrDefault("HOME", home) + "/.local/state";
        return "sqlite:" + directory + "/leasehold/locks.db";
    }
}
