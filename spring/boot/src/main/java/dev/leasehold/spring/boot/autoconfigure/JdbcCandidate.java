package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.jdbc.JdbcStore;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.SingletonBeanRegistry;

/** A JDBC candidate is one of the application's data sources: the marked one, else the only or primary one. */
record JdbcCandidate(ObjectProvider<DataSource> marked, ObjectProvider<DataSource> all, ListableBeanFactory beans)
        implements StoreCandidate {

    private static final Logger LOG = System.getLogger("dev.leasehold.spring");

    @Override
    public StoreType type() {
        return StoreType.JDBC;
    }

    @Override
    public List<String> found() {
        return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, DataSource.class));
    }

    @Override
    public StoreHandle open(LeaseholdProperties properties) {
        DataSource chosen = marked.getIfAvailable();
        if (chosen == null) {
            chosen = all.getIfUnique();
        }
        if (chosen == null) {
            boolean none = found().isEmpty();
            throw new LeaseholdStartException(
                    none
                            ? "leasehold.store.type is jdbc, and the application has no DataSource."
                            : "The application has several DataSources, none of them primary: "
                                    + String.join(", ", found()) + ".",
                    none
                            ? "Configure one, or set leasehold.store.uri=jdbc:…"
                            : "Mark the one whose database the locks are to live in with @LeaseholdDataSource, or set"
                                    + " leasehold.store.uri=jdbc:…",
                    null);
        }
        LOG.log(Level.INFO, "the locks live in the database of the DataSource {0}", name(chosen));
        LeaseholdProperties.Jdbc jdbc = properties.store().jdbc();
        OwnPool pool = jdbc.ownPool() ? OwnPool.like(chosen, jdbc) : null;
        JdbcStore store = store(pool == null ? chosen : pool.dataSource(), jdbc);
        return new StoreHandle(builder -> builder.store(store), store.toString(), closing(pool));
    }

    /** Returns the name of the bean, without making others; else its class: of a bean of a parent context, or of a factory. */
    private String name(DataSource chosen) {
        return found().stream()
                .filter(name -> beans instanceof SingletonBeanRegistry made && made.getSingleton(name) == chosen)
                .findFirst()
                .orElseGet(() -> chosen.getClass().getName());
    }

    private static Runnable closing(@Nullable OwnPool pool) {
        return pool == null ? () -> {} : pool::close;
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
