package dev.leasehold.spring.boot.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Store modules are those that bring stores, and know the beans that show that the application has such a connection.
 */
enum StoreModule {
    JDBC(StoreType.JDBC, "dev.leasehold.jdbc.JdbcStore", "leasehold-jdbc", "jdbc:", "javax.sql.DataSource"),
    REDIS(
            StoreType.REDIS,
            "dev.leasehold.redis.RedisStore",
            "leasehold-redis",
            "redi",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails"),
    ZOOKEEPER(
            StoreType.ZOOKEEPER,
            "dev.leasehold.zookeeper.ZooKeeperStore",
            "leasehold-zookeeper",
            "zookeeper:",
            "org.apache.curator.framework.CuratorFramework");

    private final StoreType type;
    private final String storeClass;
    private final String artifact;
    private final String scheme;
    private final String beanClass;

    StoreModule(StoreType type, String storeClass, String artifact, String scheme, String beanClass) {
        this.type = type;
        this.storeClass = storeClass;
        this.artifact = artifact;
        this.scheme = scheme;
        this.beanClass = beanClass;
    }

    private static @Nullable ClassLoader loader(ListableBeanFactory beans) {
        return beans instanceof ConfigurableBeanFactory configurable
                ? configurable.getBeanClassLoader()
                : StoreModule.class.getClassLoader();
    }

    private static LeaseholdStartException missing(StoreModule module, String why) {
        return new LeaseholdStartException(
                why + ", and its module is not on the class path.",
                "Add the dependency dev.leasehold:" + module.artifact + " beside leasehold-spring-boot-starter.",
                null);
    }

    /** Fails if a URI is for a module that is missing. */
    static void check(String uri, ListableBeanFactory beans) {
        String lower = uri.toLowerCase(Locale.ROOT);
        for (StoreModule module : values()) {
            boolean isFor = lower.startsWith(module.scheme) || (module == REDIS && lower.startsWith("redlock"));
            if (isFor && !ClassUtils.isPresent(module.storeClass, loader(beans))) {
                String scheme = uri.substring(0, uri.indexOf(':') + 1);
                throw missing(module, "leasehold.store.uri names a store by '" + scheme + "'");
            }
        }
    }

    /** Fails if a type is for a module that is missing. */
    static void check(StoreType type, ListableBeanFactory beans) {
        for (StoreModule module : values()) {
            if (module.type == type && !ClassUtils.isPresent(module.storeClass, loader(beans))) {
                throw missing(module, "leasehold.store.type is " + type.name().toLowerCase(Locale.ROOT));
            }
        }
    }

    /** Names what the application has without the module to use it, and the dependency. */
    static List<String> unusable(ListableBeanFactory beans) {
        List<String> found = new ArrayList<>();
        for (StoreModule module : values()) {
            if (!ClassUtils.isPresent(module.storeClass, loader(beans))
                    && ClassUtils.isPresent(module.beanClass, loader(beans))) {
                Class<?> type = ClassUtils.resolveClassName(module.beanClass, loader(beans));
                if (BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type).length > 0) {
                    found.add("a " + type.getSimpleName() + " (add dev.leasehold:" + module.artifact + ")");
                }
            }
        }
        return found;
    }
}
