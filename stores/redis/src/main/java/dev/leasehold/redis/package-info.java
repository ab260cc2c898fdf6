/**
 * This package keeps locks in Redis: one server, a master with replicas, Sentinel, Cluster.
 *
 * <p>{@link dev.leasehold.redis.RedisStore} opens them with a Lettuce client of the user's; {@code
 * Leasehold.connect("redis://…")} with one of its own.
 */
@NullMarked
package dev.leasehold.redis;

import org.jspecify.annotations.NullMarked;
