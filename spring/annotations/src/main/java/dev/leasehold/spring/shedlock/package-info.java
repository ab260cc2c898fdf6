/** This package puts Leasehold behind ShedLock's interfaces. */
@NullMarked
package dev.leasehold.spring.shedlock;

import org.jspecify.annotations.NullMarked;
