/** This package has what a look at locks shows, for people: {@link dev.leasehold.Leasehold#locks} and {@link
 * dev.leasehold.Leasehold#info}. */
@NullMarked
package dev.leasehold.inspect;

import org.jspecify.annotations.NullMarked;
