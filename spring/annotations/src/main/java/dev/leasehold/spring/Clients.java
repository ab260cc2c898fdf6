package dev.leasehold.spring;

import dev.leasehold.Leasehold;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;

/**
 * Clients are those of an application, by their beans' names or qualifiers; they are looked up when they are needed
 * first.
 */
final class Clients {

    private final BeanFactory beans;
    private final Map<String, Leasehold> found = new ConcurrentHashMap<>();

    Clients(BeanFactory beans) {
        this.beans = beans;
    }

    /** Returns the client; the only or primary one for an empty name. */
    Leasehold client(String name) {
        Leasehold known = found.get(name);
        if (known != null) {
            return known;
        }
        Leasehold client = name.isEmpty()
                ? beans.getBean(Leasehold.class)
                : BeanFactoryAnnotationUtils.qualifiedBeanOfType(beans, Leasehold.class, name);
        found.put(name, client);
        return client;
    }
}
