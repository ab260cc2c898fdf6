package dev.leasehold.spring.boot.autoconfigure;

import dev.leasehold.LeaseholdBuilder;

/** A customizer changes the client before it is made. Beans of this type are called in their order, after the properties. */
@FunctionalInterface
public interface LeaseholdBuilderCustomizer {

    /**
     * Changes the client.
     *
     * @param builder with the store and what the properties say
     */
    void customize(LeaseholdBuilder builder);
}
