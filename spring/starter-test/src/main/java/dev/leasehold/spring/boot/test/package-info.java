/**
 * This package is for tests of Spring Boot applications that use Leasehold; start at {@link
 * dev.leasehold.spring.boot.test.AutoConfigureTestLeasehold}.
 */
@NullMarked
package dev.leasehold.spring.boot.test;

import org.jspecify.annotations.NullMarked;
