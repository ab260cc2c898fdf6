/** Connections to Redis: opened, kept open, written to in batches, and what is wrong with them in words. */
@NullMarked
package dev.leasehold.redis.connection;

import org.jspecify.annotations.NullMarked;
