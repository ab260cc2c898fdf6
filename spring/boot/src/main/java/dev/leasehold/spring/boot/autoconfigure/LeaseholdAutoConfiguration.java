package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.Leasehold;
import dev.leasehold.LeaseholdBuilder;
import dev.leasehold.LockOptions;
import dev.leasehold.observe.LeaseholdObserver;
import dev.leasehold.spi.StoreFactory;
import dev.leasehold.spring.Elections;
import dev.leasehold.spring.LockedTemplate;
import dev.leasehold.spring.internal.LockedAnnotations;
import dev.leasehold.spring.internal.RunningBodies;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * This auto-configuration sets up the client, the annotations {@link dev.leasehold.spring.Locked} and {@link
 * dev.leasehold.spring.LeaderOnly}, elections and shutdown. A bean of type {@link Leasehold} or {@link StoreFactory}
 * takes the place of ours.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@EnableConfigurationProperties(LeaseholdProperties.class)
@Import(LockedAnnotations.class)
@ImportRuntimeHints(LeaseholdRuntimeHints.class)
public final class LeaseholdAutoConfiguration {

    private static final int LONGEST_LABEL = 200;
    private static final Duration USUAL_PHASE = Duration.ofSeconds(30);

    /** Makes the configuration. Called by Spring Boot. */
    public LeaseholdAutoConfiguration() {
        check(SpringBootVersion.getVersion());
    }

    /** Refuses a Spring Boot whose classes are others than those that are used here. */
    static void check(String version) {
        if (version.matches("[1-3]\\..*")) {
            throw new LeaseholdStartException(
                    "The starter of Leasehold needs Spring Boot 4, and this is " + version + ".",
                    "On Spring Boot 3 take leasehold-jdbc (or -redis, -zookeeper) in place of the starter, and declare the"
                            + " bean that docs/spring.md shows under \"Spring Boot 3\".",
                    null);
        }
    }

    @Bean
    @ConditionalOnBean(Leasehold.class)
    @ConditionalOnBooleanProperty(name = "leasehold.store.check", matchIfMissing = true)
    StoreCheck leaseholdStoreCheck(ObjectProvider<Leasehold> clients) {
        return new StoreCheck(clients);
    }

    @Bean
    ClientLifecycle leaseholdClientLifecycle(
            ConfigurableListableBeanFactory beans,
            RunningBodies bodies,
            LeaseholdProperties properties,
            Environment environment) {
        Duration phase = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(USUAL_PHASE);
        return new ClientLifecycle(beans, bodies, properties.shutdown(), phase);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnSingleCandidate(Leasehold.class)
    LockedTemplate lockedTemplate(Leasehold client, BeanFactory beans) {
        return new LockedTemplate(client, beans);
    }

    @Bean
    @ConditionalOnMissingBean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Elections leaseholdElections(
            ObjectProvider<Leasehold> client, ApplicationEventPublisher events, Environment environment) {
        String application = environment.getProperty("spring.application.name", "");
        String usual = application.isEmpty() ? "leader" : application + "-leader";
        return new Elections(
                client::getObject, events, environment.getProperty("leasehold.election.office", usual), false);
    }

    @Bean
    ApplicationListener<ApplicationReadyEvent> leaseholdElectionStarter(Elections elections) {
        return new ElectionStarter(elections);
    }

    /** An election starter has the elections stand for offices when the application is ready to do their work. */
    record ElectionStarter(Elections elections) implements ApplicationListener<ApplicationReadyEvent> {

        @Override
        public void onApplicationEvent(ApplicationReadyEvent event) {
            elections.start();
        }
    }

    /** The client configuration makes the client, where the application has none of its own. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(Leasehold.class)
    static class ClientConfiguration {

        @Bean
        StoreHandle leaseholdStore(
                LeaseholdProperties properties,
                ObjectProvider<StoreFactory> given,
                @LeaseholdDataSource ObjectProvider<DataSource> marked,
                ObjectProvider<DataSource> dataSources,
                ListableBeanFactory beans) {
            StoreFactory own = given.getIfUnique();
            return own != null
                    ? new StoreHandle(builder -> builder.store(own), () -> {})
                    : new StoreSelection(properties, marked, dataSources, beans).choose();
        }

        @Bean
        Leasehold leasehold(
                StoreHandle store,
                LeaseholdProperties properties,
                Environment environment,
                ObjectProvider<LeaseholdObserver> observers,
                ObjectProvider<LeaseholdBuilderCustomizer> customizers) {
            String label = properties.label() != null
                    ? properties.label()
                    : environment.getProperty("spring.application.name", "");
            LeaseholdBuilder builder = Leasehold.builder()
                    .namespace(properties.namespace())
                    .label(label.length() > LONGEST_LABEL ? label.substring(0, LONGEST_LABEL) : label)
                    .storeTimeout(properties.store().timeout())
                    .options(LockOptions.defaults()
                            .withLeaseDuration(properties.lease())
                            .withMaxHold(properties.maxHold()));
            store.choose().accept(builder);
            observers.orderedStream().forEach(builder::observer);
            customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
            return builder.build();
        }
    }
}
