/**
 * This package keeps locks in Redis: one server, a master with replicas, Sentinel, Cluster, or a quorum of masters (Redlock).
 *
 * <p>{@link dev.leasehold.redis.RedisStore} opens them with a Lettuce client of the user's; {@code
 * Leasehold.connect("redis://…")} with one of its own. The store itself is {@code node.OpenRedisStore}, of a quorum {@code
 * quorum.QuorumStore}; what the server decides is in the scripts among the resources.
 */
@NullMarked
package dev.leasehold.redis;

import org.jspecify.annotations.NullMarked;
