/** This package has what observers of all calls for locks are given: {@link dev.leasehold.LeaseholdBuilder#observer}. */
@NullMarked
package dev.leasehold.observe;

import org.jspecify.annotations.NullMarked;
