package dev.leasehold.spring.boot.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.leasehold.Leasehold;
import dev.leasehold.jdbc.JdbcFence;
import dev.leasehold.jdbc.JdbcStore;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spring.Elections;
import dev.leasehold.spring.LockedTemplate;
import dev.leasehold.spring.boot.actuate.LeaseholdEndpoint;
import dev.leasehold.spring.boot.actuate.LeaseholdEndpointAutoConfiguration;
import dev.leasehold.spring.boot.actuate.LeaseholdHealthContributorAutoConfiguration;
import dev.leasehold.spring.boot.observation.LeaseholdObservationAutoConfiguration;
import dev.leasehold.spring.integration.LeaseholdLockRegistry;
import dev.leasehold.spring.internal.RunningBodies;
import dev.leasehold.spring.shedlock.LeaseholdLockProvider;
import dev.leasehold.zookeeper.ZooKeeperStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.integration.support.locks.DefaultLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;

/** The conditions of the auto-configurations, each on both sides, as far as no other test of this module shows it. */
class ConditionsTest {

    private final ApplicationContextRunner empty = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    LeaseholdAutoConfiguration.class,
                    LeaseholdFenceAutoConfiguration.class,
                    LeaseholdShedLockAutoConfiguration.class,
                    LeaseholdIntegrationAutoConfiguration.class,
                    LeaseholdEndpointAutoConfiguration.class,
                    LeaseholdHealthContributorAutoConfiguration.class,
                    LeaseholdObservationAutoConfiguration.class))
            .withPropertyValues("management.endpoints.web.exposure.include=leasehold");
    private final ApplicationContextRunner runner = empty.withPropertyValues("leasehold.store.type=memory");
    private final ApplicationContextRunner twoClients = empty.withBean(
                    "first", Leasehold.class, () -> Leasehold.connect("memory:first"))
            .withBean("second", Leasehold.class, () -> Leasehold.connect("memory:second"));
    private final ApplicationContextRunner sql = empty.withConfiguration(
                    AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withPropertyValues("spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");

    private static ApplicationContextRunner without(ApplicationContextRunner application, Class<?>... types) {
        return application.withClassLoader(new FilteredClassLoader(types));
    }

    @Test
    void oneClientHasAllThatStandsOnIt() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(LockedTemplate.class)
                .hasSingleBean(LeaseholdLockProvider.class)
                .hasSingleBean(LeaseholdLockRegistry.class)
                .hasSingleBean(LeaseholdEndpoint.class)
                .hasBean("leaseholdInfoContributor")
                .hasBean("leaseholdHealthIndicator")
                .hasSingleBean(StoreCheck.class));
    }

    /** Nothing says which of the two they should use. */
    @Test
    void ofTwoClientsNoneIsChosen() {
        twoClients.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(LockedTemplate.class)
                .doesNotHaveBean(LeaseholdLockProvider.class)
                .doesNotHaveBean(LeaseholdLockRegistry.class)
                .doesNotHaveBean(LeaseholdEndpoint.class)
                .doesNotHaveBean("leaseholdInfoContributor")
                .doesNotHaveBean("leaseholdHealthIndicator")
                .hasSingleBean(StoreCheck.class)
                .hasSingleBean(Elections.class));
    }

    private static Leasehold another() {
        return Leasehold.connect("memory:conditions");
    }

    @Test
    void anOwnTemplateComesFirst() {
        StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("bodies", new RunningBodies()));
        runner.withBean("own", LockedTemplate.class, () -> new LockedTemplate(another(), beans))
                .run(context ->
                        assertThat(context).getBean(LockedTemplate.class).isSameAs(context.getBean("own")));
    }

    @Test
    void ownElectionsComeFirst() {
        Elections own = new Elections(ConditionsTest::another, event -> {}, "own", false);
        runner.withBean("own", Elections.class, () -> own)
                .run(context -> assertThat(context).getBean(Elections.class).isSameAs(own));
    }

    @Test
    void anOwnEndpointComesFirst() {
        runner.withBean("own", LeaseholdEndpoint.class, () -> new LeaseholdEndpoint(another()))
                .run(context ->
                        assertThat(context).getBean(LeaseholdEndpoint.class).isSameAs(context.getBean("own")));
    }

    @Test
    void anOwnLockRegistryComesFirst() {
        DefaultLockRegistry own = new DefaultLockRegistry();
        runner.withBean("own", LockRegistry.class, () -> own)
                .run(context -> assertThat(context).getBean(LockRegistry.class).isSameAs(own));
    }

    @Test
    void anOwnHealthIndicatorComesFirst() {
        HealthIndicator own = () -> Health.unknown().build();
        runner.withBean("leaseholdHealthIndicator", HealthIndicator.class, () -> own)
                .run(context ->
                        assertThat(context).getBean(HealthIndicator.class).isSameAs(own));
    }

    @Test
    void aStoreThatNobodyAsksForIsNotChecked() {
        runner.withPropertyValues("leasehold.store.check=false")
                .run(context -> assertThat(context).doesNotHaveBean(StoreCheck.class));
    }

    @Test
    void theActuatorMayBeMissing() {
        without(runner, ConditionalOnAvailableEndpoint.class, HealthIndicator.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("leaseholdEndpoint")
                        .doesNotHaveBean("leaseholdInfoContributor")
                        .doesNotHaveBean("leaseholdHealthIndicator"));
        without(runner, ConditionalOnEnabledHealthIndicator.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdHealthIndicator"));
    }

    @Test
    void whatInfoSaysCanBeSwitchedOff() {
        runner.withPropertyValues("management.info.leasehold.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("leaseholdInfoContributor"));
    }

    @Test
    void whatIsObservedDependsOnTheRegistries() {
        runner.run(context -> assertThat(context)
                .doesNotHaveBean("leaseholdObservationObserver")
                .doesNotHaveBean("leaseholdMeterObserver"));
        ApplicationContextRunner observed = runner.withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new);
        observed.run(context -> assertThat(context.getBeansOfType(LeaseholdObserver.class))
                .containsKeys("leaseholdObservationObserver", "leaseholdMeterObserver"));
        without(runner.withBean(MeterRegistry.class, SimpleMeterRegistry::new), ObservationRegistry.class)
                .run(context -> assertThat(context)
                        .hasBean("leaseholdMeterObserver")
                        .doesNotHaveBean("leaseholdObservationObserver"));
    }

    @Test
    void theFenceNeedsOneDataSource() {
        sql.run(context -> assertThat(context).hasSingleBean(JdbcFence.class));
        JdbcFence own = JdbcFence.standard();
        sql.withBean("ownFence", JdbcFence.class, () -> own)
                .run(context -> assertThat(context.getBean(JdbcFence.class)).isSameAs(own));
        runner.withBean("orders", DataSource.class, JdbcDataSource::new)
                .withBean("stock", DataSource.class, JdbcDataSource::new)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(JdbcFence.class));
        without(runner.withBean(DataSource.class, JdbcDataSource::new), JdbcFence.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("leaseholdFence"));
    }

    private static void assertUsable(ApplicationContextRunner application, StoreType... types) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(StoreType.values())
                    .filteredOn(type -> type.isUsable(context.getBeanFactory()))
                    .containsExactly(types);
        });
    }

    @Test
    void onlyStoresOnTheClassPathAreUsable() {
        assertUsable(runner, StoreType.JDBC, StoreType.REDIS, StoreType.ZOOKEEPER);
        assertUsable(without(runner, JdbcStore.class, ZooKeeperStore.class), StoreType.REDIS);
        assertUsable(without(runner, DataSourceUnwrapper.class), StoreType.REDIS, StoreType.ZOOKEEPER);
    }

    @Test
    void theOfficeIsThePropertysOrTheApplications() {
        runner.run(context ->
                assertThat(officeOf(context.getBean(Elections.class))).isEqualTo("leader"));
        ApplicationContextRunner shop = runner.withPropertyValues("spring.application.name=shop");
        shop.run(context ->
                assertThat(officeOf(context.getBean(Elections.class))).isEqualTo("shop-leader"));
        shop.withPropertyValues("leasehold.election.office=boss")
                .run(context ->
                        assertThat(officeOf(context.getBean(Elections.class))).isEqualTo("boss"));
    }

    private static String officeOf(Elections elections) {
        return elections.election("").name();
    }
}
