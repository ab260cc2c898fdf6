package dev.leasehold.cli;

import dev.leasehold.Leasehold;
import dev.leasehold.redis.RedisStoreProvider;
import dev.leasehold.redis.RedlockStore;
import dev.leasehold.spi.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The option {@code --store} is the same for all commands. */
final class StoreOption {

    private static final Set<String> QUORUMS = Set.of("redlock", "redlocks");

    /** The settings in a URI that concern the client and not the store. */
    private static final Set<String> OF_EVERY_CLIENT = Set.of("namespace", "label", "storeTimeout", "localHandOvers");

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init")
    CommandSpec command;

    @Option(
            names = "--store",
            paramLabel = "URI",
            description = {
                "Where the locks live, for example sqlite:/var/lib/app/locks.db.",
                "Default: $LEASEHOLD_STORE, else an SQLite file in $XDG_STATE_HOME/leasehold or ~/.local/state/leasehold."
            })
    @Nullable String uri;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "Which names are meant: those of the applications that have this leasehold.namespace. "
                    + "Default: those without one, unless the URI says leasehold.namespace=NAME.")
    @Nullable String namespace;

    @Option(
            names = "--store-password-file",
            paramLabel = "FILE",
            description = {
                "A file whose first line is the password for the store. The URI may name the user, as redis://USER@HOST; for "
                        + "ZooKeeper it must.",
                "Default: $LEASEHOLD_STORE_PASSWORD_FILE; or the password itself in $LEASEHOLD_STORE_PASSWORD, or in the URI "
                        + "in $LEASEHOLD_STORE."
            })
    @Nullable Path passwordFile;

    /** Returns what the program was started with. */
    Terminal terminal() {
        return ((Main) command.root().userObject()).terminal;
    }

    private Map<String, String> environment() {
        return terminal().environment();
    }

    Leasehold connect(String label) {
        return connect(label, null, null);
    }

    /**
     * Returns a client of the store.
     *
     * @param timeout how long a store that does not answer is waited for, if an option says so
     * @param otherwise for how long where the URI does not say so either
     */
    Leasehold connect(String label, @Nullable Duration timeout, @Nullable Duration otherwise) {
        String store = checkedUri();
        boolean isInUri = StoreUri.parse(store).options().containsKey("storeTimeout");
        Duration chosen = timeout == null && !isInUri ? otherwise : timeout;
        String password = StorePassword.find(passwordFile, environment());
        Map<String, String> beside = new HashMap<>();
        if (password != null) {
            beside.put("password", password);
        }
        if (namespace != null) {
            beside.put("namespace", namespace);
        }
        if (chosen != null) {
            beside.put("storeTimeout", Long.toString(chosen.toMillis()));
        }
        return Leasehold.builder().uri(store, beside).label(label).build();
    }

    /** Returns the masters themselves, for commands that only a quorum has. */
    RedlockStore quorum() {
        StoreUri parsed = StoreUri.parse(checkedUri());
        Map<String, String> options = new HashMap<>(parsed.options());
        options.keySet().removeAll(OF_EVERY_CLIENT);
        String password = StorePassword.find(passwordFile, environment());
        if (password != null) {
            options.put("password", password);
        }
        StoreUri store = new StoreUri(parsed.scheme(), parsed.text(), options);
        if (QUORUMS.contains(store.scheme()) && new RedisStoreProvider().create(store) instanceof RedlockStore quorum) {
            return quorum;
        }
        throw new IllegalArgumentException("'" + parsed + "' is no quorum of Redis masters, and needs no opening: only "
                + "redlock://HOST1,HOST2,HOST3 has votes");
    }

    private String checkedUri() {
        Map<String, String> environment = environment();
        boolean beside = passwordFile != null
                || environment.containsKey(StorePassword.PASSWORD)
                || environment.containsKey(StorePassword.FILE);
        // One word before the @ of a Redis names its user then, else it is the password.
        if (uri != null && StoreUri.hasPassword(beside ? "of:" + uri : uri)) {
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
        return store;
    }

    private String uri() {
        return uri != null ? uri : defaultUri(environment(), System.getProperty("user.home"));
    }

    /** Returns whether neither an option nor the environment names the store, so that it is this user's own. */
    boolean isUsersOwn() {
        return uri == null && environment().getOrDefault("LEASEHOLD_STORE", "").isEmpty();
    }

    /** Returns the store without credentials. */
    String shown() {
        return StoreUri.parse(uri()).toString();
    }

    /** Returns the namespace, empty for none. */
    String namespace() {
        return namespace != null ? namespace : StoreUri.parse(uri()).options().getOrDefault("namespace", "");
    }

    /** Returns whose names are meant, for a sentence. */
    String scope() {
        String name = namespace();
        return name.isEmpty() ? "without a namespace" : "in the namespace '" + Escapes.shown(name) + "'";
    }

    /** Returns how this store is named to another command of ours; empty for the default and what the environment says. */
    String arguments() {
        return (uri == null ? "" : "--store " + Escapes.shellWord(uri) + " ")
                + (passwordFile == null
                        ? ""
                        : "--store-password-file " + Escapes.shellWord(passwordFile.toString()) + " ")
                + (namespace == null ? "" : "--namespace " + Escapes.shellWord(namespace) + " ");
    }

    static String defaultUri(Map<String, String> environment, String home) {
        String given = environment.getOrDefault("LEASEHOLD_STORE", "");
        if (!given.isEmpty()) {
            return given;
        }
        String state = environment.getOrDefault("XDG_STATE_HOME", "");
        // The specification of XDG_STATE_HOME says that a relative path is to be ignored.
        Path base = state.startsWith("/") ? Path.of(state) : Path.of(homeOf(environment, home), ".local/state");
        return "sqlite:" + base.resolve("leasehold/locks.db");
    }

    private static String homeOf(Map<String, String> environment, String home) {
        String named = environment.getOrDefault("HOME", "");
        // A relative one would mean other locks in each working directory.
        String found = named.startsWith("/") ? named : home;
        // What a JVM takes for the home of a user whom the system does not know.
        if (found.isEmpty() || found.equals("?")) {
            throw new IllegalArgumentException(
                    "this user has no home directory, where the locks would be kept by default: name a"
                            + " store with --store or LEASEHOLD_STORE, for example sqlite:/var/lib/app/locks.db, or set HOME");
        }
        return found;
    }
}
