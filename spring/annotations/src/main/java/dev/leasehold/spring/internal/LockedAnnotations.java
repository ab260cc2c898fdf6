package dev.leasehold.spring.internal;

import org.springframework.context.annotation.ImportSelector;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Locked annotations are what this selects: {@link dev.leasehold.spring.Locked} and {@link dev.leasehold.spring.LeaderOnly}. {@link
 * dev.leasehold.spring.Elections} and {@link dev.leasehold.spring.LockedTemplate} are left to the configuration that imports it.
 */
public final class LockedAnnotations implements ImportSelector {

    /** Makes the selector. Called by Spring. */
    public LockedAnnotations() {}

    @Override
    public String[] selectImports(AnnotationMetadata importing) {
        return new String[] {"dev.leasehold.spring.LeaseholdConfiguration"};
    }
}
