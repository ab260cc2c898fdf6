/** This package makes a voter, as the algorithm knows it, of a connection to a real master. */
@NullMarked
package dev.leasehold.redis.voter;

import org.jspecify.annotations.NullMarked;
