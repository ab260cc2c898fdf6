/** Leasehold observed by Micrometer. */
@NullMarked
package dev.leasehold.spring.boot.observation;

import org.jspecify.annotations.NullMarked;
