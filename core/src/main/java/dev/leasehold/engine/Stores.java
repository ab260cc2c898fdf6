package dev.leasehold.engine;

import dev.leasehold.spi.StoreProvider;
import dev.leasehold.spi.StoreUri;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.TreeSet;

/** Stores finds the store for a URI, and takes the client's own settings out of the URI. */
public final class Stores {

    /** These artifacts bring our schemes; a message names the one that is missing. */
    private static final Map<String, String> ARTIFACTS = Map.ofEntries(
            Map.entry("sqlite", "leasehold-jdbc"),
            Map.entry("jdbc", "leasehold-jdbc"),
            Map.entry("redis", "leasehold-redis"),
            Map.entry("rediss", "leasehold-redis"),
            Map.entry("redis-sentinel", "leasehold-redis"),
            Map.entry("rediss-sentinel", "leasehold-redis"),
            Map.entry("redis-cluster", "leasehold-redis"),
            Map.entry("rediss-cluster", "leasehold-redis"),
            Map.entry("redlock", "leasehold-redis"),
            Map.entry("redlocks", "leasehold-redis"),
            Map.entry("zookeeper", "leasehold-zookeeper"));

    private Stores() {}

    public static void apply(String text, Map<String, String> beside, ClientSettings.Draft draft) {
        StoreUri uri = StoreUri.parse(text);
        Map<String, String> rest = new HashMap<>(uri.options());
        beside.forEach((name, value) -> {
            if (rest.put(name, value) != null) {
                throw new IllegalArgumentException(
                        "option leasehold." + name + " is given twice: in '" + uri + "' and beside it");
            }
        });
        take(rest, "namespace", draft::namespace);
        take(rest, "label", draft::label);
        take(rest, "storeTimeout", value -> draft.storeTimeout(Duration.ofMillis(number("storeTimeout", value))));
        take(rest, "localHandOvers", value -> draft.localHandOvers((int) number("localHandOvers", value)));
        StoreUri remaining = new StoreUri(uri.scheme(), uri.text(), rest);
        draft.store(provider(remaining).create(remaining));
    }

    private static StoreProvider provider(StoreUri uri) {
        TreeSet<String> known = new TreeSet<>();
        ClassLoader ours = Stores.class.getClassLoader();
        ClassLoader callers = Thread.currentThread().getContextClassLoader();
        for (ClassLoader loader : callers == null || callers == ours ? List.of(ours) : List.of(ours, callers)) {
            for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
                if (provider.schemes().contains(uri.scheme())) {
                    return provider;
                }
                known.addAll(provider.schemes());
            }
        }
        String artifact = ARTIFACTS.get(uri.scheme());
        throw new IllegalArgumentException(
                artifact != null
                        ? "no module for '" + uri.scheme() + ":' stores is present: add the dependency dev.leasehold:"
                                + artifact
                        : "unknown scheme '" + uri.scheme() + ":' in '" + uri + "'; known here: " + known
                                + (uri.text().startsWith("jdbc:sqlite:") ? "; for SQLite write sqlite:PATH" : ""));
    }

    private static void take(Map<String, String> options, String name, java.util.function.Consumer<String> setting) {
        String value = options.remove(name);
        if (value != null) {
            setting.accept(value);
        }
    }

    private static long number(String name, String value) {
        try {
            return Math.toIntExact(Long.parseLong(value));
        } catch (NumberFormatException | ArithmeticException e) {
            throw new IllegalArgumentException(
                    "option leasehold." + name + " must be a whole number, but was '" + value + "'", e);
        }
    }
}
