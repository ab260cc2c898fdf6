package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.jdbc.JdbcStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/** A JDBC opening makes the store in a data source of the application's. */
final class JdbcOpening {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    private JdbcOpening() {}

    static StoreHandle open(
            DataSource chosen, List<String> found, ListableBeanFactory beans, LeaseholdProperties.Jdbc jdbc) {
        LOG.log(Level.INFO, "the locks live in the database of the DataSource {0}", name(chosen, found, beans));
        OwnPool pool = jdbc.ownPool() ? OwnPool.like(chosen, jdbc) : null;
        JdbcStore store = store(pool == null ? chosen : pool.dataSource(), jdbc);
        return new StoreHandle(builder -> builder.store(store), pool == null ? () -> {} : pool::close);
    }

    /** Returns the name of the bean, without making others; else its class: of a bean of a parent context, or of a factory. */
    private static String name(DataSource chosen, List<String> found, ListableBeanFactory beans) {
        return found.stream()
                .filter(name -> beans instanceof SingletonBeanRegistry made && made.getSingleton(name) == chosen)
                .findFirst()
                .orElseGet(() -> chosen.getClass().getName());
    }

    private static JdbcStore store(DataSource dataSource, LeaseholdProperties.Jdbc jdbc) {
        JdbcStore store = JdbcStore.using(dataSource)
                .withConnections(jdbc.connections())
                .withInitializeSchema(jdbc.initializeSchema())
                .withListen(jdbc.listen())
                .withSessionLocks(jdbc.sessionLocks());
        if (jdbc.schema() != null) {
            store = store.withSchema(jdbc.schema());
        }
        return jdbc.tables() == null ? store : store.withTables(jdbc.tables());
    }
}
