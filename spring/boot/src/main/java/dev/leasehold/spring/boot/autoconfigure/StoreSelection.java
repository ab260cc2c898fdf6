package dev.leasehold.spring.boot.autoconfigure;

import static java.util.stream.Collectors.joining;

import dev.leasehold.zookeeper.ZooKeeperStore;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;

/**
 * A store selection chooses the store: by the URI, else by the type, else the only connection that the application has. Each
 * branch touches the classes of its own store alone, since those of the others may be missing.
 *
 * @param marked the data source that is marked for locks
 */
record StoreSelection(
        LeaseholdProperties properties,
        ObjectProvider<DataSource> marked,
        ObjectProvider<DataSource> dataSources,
        ListableBeanFactory beans) {

    StoreHandle choose() {
        String uri = properties.store().uri();
        if (uri != null && !uri.isBlank()) {
            return byUri(uri);
        }
        StoreType type = properties.store().type();
        if (type == null) {
            return open(single());
        }
        checkModule(type, "leasehold.store.type is " + type.word());
        return open(type);
    }

    private void checkModule(StoreType type, String why) {
        if (!type.hasModule(beans)) {
            throw new LeaseholdStartException(
                    why + ", and its module is not on the class path.",
                    "Add the dependency " + type.artifact() + " beside leasehold-spring-boot-starter.",
                    null);
        }
    }

    private StoreHandle byUri(String uri) {
        types(type -> type.isFor(uri))
                .forEach(type -> checkModule(
                        type, "leasehold.store.uri names a store by '" + uri.substring(0, uri.indexOf(':') + 1) + "'"));
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
                () -> {});
    }

    private StoreType single() {
        List<StoreType> usable = types(type -> !type.found(beans).isEmpty()).toList();
        if (usable.size() == 1) {
            return usable.get(0);
        }
        if (usable.isEmpty()) {
            String unusable = types(type -> type.lacksModule(beans))
                    .map(type -> "a " + type.beanClass() + " (add " + type.artifact() + ")")
                    .collect(joining(" and "));
            throw new LeaseholdStartException(
                    "Leasehold has no store: no leasehold.store.uri, and the application has no DataSource, Redis"
                            + " connection or CuratorFramework that it could use."
                            + (unusable.isEmpty() ? "" : " There is " + unusable + "."),
                    "Set leasehold.store.uri, or configure a DataSource. For a trial: leasehold.store.type=memory.",
                    null);
        }
        throw new LeaseholdStartException(
                usable.stream()
                        .map(type -> type.word() + " (" + String.join(", ", type.found(beans)) + ")")
                        .collect(joining(" and ", "Leasehold could keep its locks in more than one store: ", ".")),
                usable.stream().map(StoreType::word).collect(joining(" or ", "Choose one: leasehold.store.type=", ".")),
                null);
    }

    private static Stream<StoreType> types(Predicate<StoreType> which) {
        return Stream.of(StoreType.values()).filter(which);
    }

    private StoreHandle open(StoreType type) {
        List<String> found = type.found(beans);
        if (found.isEmpty() && type != StoreType.MEMORY) {
            throw new LeaseholdStartException(
                    "leasehold.store.type is " + type.word() + ", and the application has no " + type.connection + ".",
                    "Configure one, or set leasehold.store.uri=" + type.uri + "…",
                    null);
        }
        return switch (type) {
            case JDBC -> {
                DataSource own = marked.getIfAvailable();
                DataSource chosen = own != null ? own : only(dataSources, type, found);
                yield JdbcOpening.open(chosen, found, beans, properties.store().jdbc());
            }
            case REDIS -> RedisOpening.open(only(beans.getBeanProvider(DataRedisConnectionDetails.class), type, found));
            case ZOOKEEPER -> {
                CuratorFramework curator = only(beans.getBeanProvider(CuratorFramework.class), type, found);
                yield new StoreHandle(builder -> builder.store(ZooKeeperStore.using(curator)), () -> {});
            }
            case MEMORY -> new StoreHandle(builder -> builder.uri("memory:"), () -> {});
        };
    }

    private static <T> T only(ObjectProvider<T> beans, StoreType type, List<String> found) {
        T one = beans.getIfUnique();
        if (one == null) {
            throw new LeaseholdStartException(
                    "The application has several " + type.connection + "s, none of them primary: "
                            + String.join(", ", found) + ".",
                    (type == StoreType.JDBC
                                    ? "Mark the one whose database the locks are to live in with @LeaseholdDataSource"
                                    : "Mark one as @Primary")
                            + ", or set leasehold.store.uri=" + type.uri + "…",
                    null);
        }
        return one;
    }
}
