package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.zookeeper.ZooKeeperStore;
import java.util.List;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** A ZooKeeper candidate is the application's connection to ZooKeeper. */
record ZooKeeperCandidate(ObjectProvider<CuratorFramework> curators, ListableBeanFactory beans)
        implements StoreCandidate {

    @Override
    public StoreType type() {
        return StoreType.ZOOKEEPER;
    }

    @Override
    public List<String> found() {
        return List.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, CuratorFramework.class));
    }

    @Override
    public StoreHandle open(LeaseholdProperties properties) {
        CuratorFramework curator = curators.getIfUnique();
        if (curator == null) {
            throw new LeaseholdStartException(
                    found().isEmpty()
                            ? "leasehold.store.type is zookeeper, and the application has no CuratorFramework."
                            : "The application has several CuratorFrameworks: " + String.join(", ", found()) + ".",
                    "Define one bean of that type, or set leasehold.store.uri=zookeeper://…",
                    null);
        }
        ZooKeeperStore store = ZooKeeperStore.using(curator);
        return new StoreHandle(builder -> builder.store(store), store.toString(), () -> {});
    }
}
