/** This package puts Leasehold behind Spring Integration's interfaces. */
@NullMarked
package dev.leasehold.spring.integration;

import org.jspecify.annotations.NullMarked;
