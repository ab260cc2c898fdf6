package dev.leasehold.spring;

import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Early beans are those that a post-processor needs, and Spring makes before there is anything that could proxy them. Where one
 * has annotated methods, they would run without the lock: so the start fails.
 */
final class EarlyBeans implements SmartInitializingSingleton {

    private final ConfigurableListableBeanFactory beans;

    EarlyBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Set<String> early = new LinkedHashSet<>();
        for (Class<?> processor : new Class<?>[] {BeanFactoryPostProcessor.class, BeanPostProcessor.class}) {
            for (String name : beans.getBeanNamesForType(processor, true, false)) {
                addNeeds(name, early);
            }
        }
        for (AnnotationAdvisor advisor :
                beans.getBeansOfType(AnnotationAdvisor.class, true, false).values()) {
            for (String name : early) {
                Object bean = beans.getSingleton(name);
                if (bean != null) {
                    advisor.checkIsProxied(name, bean);
                }
            }
        }
    }

    private void addNeeds(String name, Set<String> early) {
        for (String needed : beans.getDependenciesForBean(name)) {
            if (early.add(needed)) {
                addNeeds(needed, early);
            }
        }
    }
}
