package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.redis.RedisStore;
import dev.leasehold.zookeeper.ZooKeeperStore;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Store candidates are the kinds of connections that locks can use, as far as they are on the class path. */
@Configuration(proxyBeanMethods = false)
class StoreCandidates {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({JdbcStore.class, DataSource.class, DataSourceUnwrapper.class})
    static class Jdbc {

        @Bean
        StoreCandidate leaseholdJdbcCandidate(
                @LeaseholdDataSource ObjectProvider<DataSource> marked,
                ObjectProvider<DataSource> all,
                ListableBeanFactory beans) {
            return new JdbcCandidate(marked, all, beans);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RedisStore.class, DataRedisConnectionDetails.class})
    static class Redis {

        @Bean
        StoreCandidate leaseholdRedisCandidate(
                ObjectProvider<DataRedisConnectionDetails> details, ListableBeanFactory beans) {
            return new RedisCandidate(details, beans);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ZooKeeperStore.class, CuratorFramework.class})
    static class ZooKeeper {

        @Bean
        StoreCandidate leaseholdZooKeeperCandidate(
                ObjectProvider<CuratorFramework> curators, ListableBeanFactory beans) {
            return new ZooKeeperCandidate(curators, beans);
        }
    }
}
