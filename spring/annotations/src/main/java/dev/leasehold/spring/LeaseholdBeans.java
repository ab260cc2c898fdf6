package dev.leasehold.spring;

import dev.leasehold.Leasehold;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;

/**
 * Leasehold beans are those for applications without Spring Boot. The class is no member of another configuration,
 * since that would be taken along with it.
 */
@Configuration(proxyBeanMethods = false)
class LeaseholdBeans {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Elections leaseholdElections(ObjectProvider<Leasehold> client, ApplicationEventPublisher events) {
        return new Elections(client::getObject, events, "leader", true);
    }

    @Bean
    static LockedTemplate lockedTemplate(Leasehold client, BeanFactory beans) {
        return new LockedTemplate(client, beans);
    }
}
