package dev.leasehold.spring.boot.autoconfigure;

import java.util.HashSet;
import java.util.Set;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitializationDetector;
import org.springframework.core.env.Environment;

/**
 * The initialized database is what our client waits for: with Flyway or Liquibase a bean that locks early would have the
 * tables made before them, and Flyway refuses a database that has tables already. A client that the application declares
 * itself waits for nothing, so that a migration may run under a lock of it.
 */
final class InitializedDatabase implements DependsOnDatabaseInitializationDetector {

    @Override
    public Set<String> detect(ConfigurableListableBeanFactory beans) {
        Set<String> found = new HashSet<>();
        if (beans.containsBeanDefinition("leaseholdStore") && isJdbc(beans)) {
            found.add("leaseholdStore");
        }
        // Its tables are in the application's database, wherever the locks are.
        if (beans.containsBeanDefinition("leaseholdFence")) {
            found.add("leaseholdFence");
        }
        return found;
    }

    private static boolean isJdbc(ConfigurableListableBeanFactory beans) {
        Environment environment = beans.getBean(Environment.class);
        String uri = environment.getProperty("leasehold.store.uri", "");
        String type = environment.getProperty("leasehold.store.type", "jdbc");
        return uri.isBlank()
                ? type.equalsIgnoreCase("jdbc") && StoreType.JDBC.isUsable(beans)
                : uri.startsWith("jdbc:");
    }
}
