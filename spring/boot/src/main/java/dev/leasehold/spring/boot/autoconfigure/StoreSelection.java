package dev.leasehold.spring.boot.autoconfigure;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * A store selection chooses the store: by the URI, else by the type, else the only connection that the application has.
 */
record StoreSelection(LeaseholdProperties properties, List<StoreCandidate> candidates, ListableBeanFactory beans) {

    StoreHandle choose() {
        String uri = properties.store().uri();
        if (uri != null && !uri.isBlank()) {
            return byUri(uri);
        }
        StoreType type = properties.store().type();
        return type != null ? byType(type) : single();
    }

    private StoreHandle byUri(String uri) {
        StoreModule.check(uri, beans);
        String password = properties.store().password();
        Map<String, String> options = password == null ? Map.of() : Map.of("password", password);
        return new StoreHandle(
                builder -> {
                    try {
                        builder.uri(uri, options);
                    } catch (IllegalArgumentException e) {
                        throw new LeaseholdStartException(
                                "leasehold.store.uri cannot be used: " + e.getMessage() + ".",
                                "Correct the property.",
                                e);
                    }
                },
                "leasehold.store.uri",
                () -> {});
    }

    private StoreHandle byType(StoreType type) {
        if (type == StoreType.MEMORY) {
            return new StoreHandle(builder -> builder.uri("memory:"), "memory:", () -> {});
        }
        StoreModule.check(type, beans);
        return candidates.stream()
                .filter(candidate -> candidate.type() == type)
                .findFirst()
                .orElseThrow(() -> new LeaseholdStartException(
                        "leasehold.store.type is " + name(type) + ", and the application has no such connection.",
                        "Configure one, or set leasehold.store.uri.",
                        null))
                .open(properties);
    }

    private StoreHandle single() {
        List<StoreCandidate> usable = candidates.stream()
                .filter(candidate -> !candidate.found().isEmpty())
                .sorted(Comparator.comparing(StoreCandidate::type))
                .toList();
        if (usable.size() == 1) {
            return usable.get(0).open(properties);
        }
        if (usable.isEmpty()) {
            List<String> unusable = StoreModule.unusable(beans);
            throw new LeaseholdStartException(
                    "Leasehold has no store: no leasehold.store.uri, and the application has no DataSource, Redis"
                            + " connection or CuratorFramework that it could use."
                            + (unusable.isEmpty() ? "" : " There is " + String.join(" and ", unusable) + "."),
                    "Set leasehold.store.uri, or configure a DataSource. For a trial: leasehold.store.type=memory.",
                    null);
        }
        throw new LeaseholdStartException(
                "Leasehold could keep its locks in more than one store: "
                        + usable.stream()
                                .map(candidate ->
                                        name(candidate.type()) + " (" + String.join(", ", candidate.found()) + ")")
                                .collect(Collectors.joining(" and "))
                        + ".",
                "Choose one: leasehold.store.type="
                        + usable.stream()
                                .map(candidate -> name(candidate.type()))
                                .collect(Collectors.joining(" or "))
                        + ".",
                null);
    }

    private static String name(StoreType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }
}
