/**
 * This package acquires several locks at once: a set of names is acquired in an order that is the same for all, so that sets
 * never wait for each other in a circle.
 */
@NullMarked
package dev.leasehold.engine.set;

import org.jspecify.annotations.NullMarked;
