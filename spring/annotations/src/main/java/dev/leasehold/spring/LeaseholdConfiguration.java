package dev.leasehold.spring;

import dev.leasehold.spring.internal.RunningBodies;
import org.springframework.aop.Advisor;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.core.type.AnnotationMetadata;

/**
 * The Leasehold configuration has the beans behind {@link EnableLeasehold}. The client is looked up when a locked
 * method is called first.
 */
@Configuration(proxyBeanMethods = false)
@Import(LeaseholdConfiguration.ProxyRegistrar.class)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
class LeaseholdConfiguration {

    /**
     * Locks are taken outside of {@code @Transactional}, whose advisor has the lowest precedence of all unless somebody
     * changes that; and inside of {@code @Retryable}, {@code @ConcurrencyLimit} and {@code @Async}, which put themselves
     * before all advisors.
     */
    static final int LOCK_ORDER = Ordered.LOWEST_PRECEDENCE - 100;

    /** Leadership is checked outside of the locks: an instance that does not lead need not wait for a lock. */
    static final int LEADER_ORDER = LOCK_ORDER - 100;

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RunningBodies leaseholdRunningBodies() {
        return new RunningBodies();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor leaseholdLockedAdvisor(ConfigurableListableBeanFactory beans, RunningBodies running) {
        AnnotatedMethods<Locked, LockedMethod> methods = new AnnotatedMethods<>(
                Locked.class, (method, target, locked) -> LockedMethod.parse(method, target, locked, beans));
        return new AnnotationAdvisor(
                methods, new LockedInterceptor(methods, new Clients(beans), running, beans), LOCK_ORDER);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Advisor leaseholdLeaderAdvisor(ConfigurableListableBeanFactory beans, ObjectProvider<Elections> elections) {
        AnnotatedMethods<LeaderOnly, LeaderMethod> methods =
                new AnnotatedMethods<>(LeaderOnly.class, (method, target, leader) -> {
                    LeaderMethod parsed = LeaderMethod.parse(method, target, leader, beans);
                    elections.getObject().add(parsed.office());
                    return parsed;
                });
        return new AnnotationAdvisor(methods, new LeaderInterceptor(methods, elections::getObject), LEADER_ORDER);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static EarlyBeans leaseholdEarlyBeans(ConfigurableListableBeanFactory beans) {
        return new EarlyBeans(beans);
    }

    /** A proxy registrar has beans proxied, also where nothing else does. */
    static class ProxyRegistrar implements ImportBeanDefinitionRegistrar {

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
        }
    }
}
