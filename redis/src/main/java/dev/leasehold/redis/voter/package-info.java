/** A master of a quorum, as the algorithm knows it, on a connection to a real one. */
@NullMarked
package dev.leasehold.redis.voter;

import org.jspecify.annotations.NullMarked;
