/** This package puts locks on the methods of Spring beans; start at {@link dev.leasehold.spring.Locked}. */
@NullMarked
package dev.leasehold.spring;

import org.jspecify.annotations.NullMarked;
