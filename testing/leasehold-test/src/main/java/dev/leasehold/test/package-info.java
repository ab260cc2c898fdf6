/** This package supports tests of code that uses locks: start at {@link dev.leasehold.test.TestLeasehold}. */
@NullMarked
package dev.leasehold.test;

import org.jspecify.annotations.NullMarked;
