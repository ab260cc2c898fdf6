package dev.leasehold.spring.boot.autoconfigure;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ClassUtils;

/** A store type is the kind of store that locks live in. */
public enum StoreType {

    /** The database of the application's {@code DataSource}. */
    JDBC(
            "jdbc:",
            "DataSource",
            "dev.leasehold.jdbc.JdbcStore",
            "javax.sql.DataSource",
            "org.springframework.boot.jdbc.DataSourceUnwrapper"),

    /** The Redis that the application is connected to. */
    REDIS(
            "redis://",
            "Redis connection",
            "dev.leasehold.redis.RedisStore",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails"),

    /** The ZooKeeper of the application's {@code CuratorFramework}. */
    ZOOKEEPER(
            "zookeeper://",
            "CuratorFramework",
            "dev.leasehold.zookeeper.ZooKeeperStore",
            "org.apache.curator.framework.CuratorFramework"),

    /** The memory of this process: for tests and trials, since nobody else sees these locks. */
    MEMORY("memory:", "", "dev.leasehold.memory.MemoryStore", "");

    private static final int SCHEME = 3;

    final String uri;
    final String connection;

    /** The store of the type's module, the application's beans that show its connections, and what else is needed. */
    @SuppressWarnings("ImmutableEnumChecker") // Nobody writes into it.
    final List<String> classes;

    StoreType(String uri, String connection, String... classes) {
        this.uri = uri;
        this.connection = connection;
        this.classes = List.of(classes);
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String beanClass() {
        return ClassUtils.getShortName(classes.get(1));
    }

    String artifact() {
        return "dev.leasehold:leasehold-" + word();
    }

    /** Returns whether a URI is for this type's module, whose schemes begin alike, such as redis: and redlock:. */
    boolean isFor(String given) {
        return given.regionMatches(true, 0, uri, 0, SCHEME);
    }

    boolean hasModule(ListableBeanFactory beans) {
        return isPresent(classes.get(0), beans);
    }

    /** Returns whether all is on the class path that a connection of the application's is used with. */
    boolean isUsable(ListableBeanFactory beans) {
        return classes.stream().allMatch(name -> isPresent(name, beans));
    }

    /** Names the application's beans that have such a connection, if it can be used. */
    List<String> found(ListableBeanFactory beans) {
        return isUsable(beans) ? names(beans) : List.of();
    }

    /** Returns whether the application has such a connection, and only the module is missing. */
    boolean lacksModule(ListableBeanFactory beans) {
        return !hasModule(beans)
                && isPresent(classes.get(1), beans)
                && !names(beans).isEmpty();
    }

    private List<String> names(ListableBeanFactory beans) {
        Class<?> type = ClassUtils.resolveClassName(classes.get(1), loader(beans));
        return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type));
    }

    private static boolean isPresent(String name, ListableBeanFactory beans) {
        return ClassUtils.isPresent(name, loader(beans));
    }

    private static @Nullable ClassLoader loader(ListableBeanFactory beans) {
        return beans instanceof ConfigurableBeanFactory configurable
                ? configurable.getBeanClassLoader()
                : StoreType.class.getClassLoader();
    }
}
