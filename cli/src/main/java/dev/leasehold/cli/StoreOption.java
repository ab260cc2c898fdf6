package dev.leasehold.cli;

import dev.leasehold.Leasehold;
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

    Leasehold connect(String label) {
        String store = uri != null ? uri : defaultUri(System.getenv(), System.getProperty("user.home"));
        if (store.startsWith("memory:")) {
            throw new IllegalArgumentException(
                    "a store in memory is seen by this process alone, so its locks would keep"
                            + " nobody out; name one that others see, for example sqlite:/var/lib/app/locks.db");
        }
        return Leasehold.builder().uri(store).label(label).build();
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
