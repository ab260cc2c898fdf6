/** This package has what a store's examination tells: {@link dev.leasehold.Leasehold#examine()}. */
@NullMarked
package dev.leasehold.doctor;

import org.jspecify.annotations.NullMarked;
