/** This package has Micrometer observe Leasehold. */
@NullMarked
package dev.leasehold.spring.boot.observation;

import org.jspecify.annotations.NullMarked;
