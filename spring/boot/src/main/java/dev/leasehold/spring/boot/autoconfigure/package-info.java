/** This package configures Leasehold by Spring Boot. */
@NullMarked
package dev.leasehold.spring.boot.autoconfigure;

import org.jspecify.annotations.NullMarked;
