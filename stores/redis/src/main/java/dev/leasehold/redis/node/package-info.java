/**
 * This package makes a store of one deployment of Redis: operations on its master, its messages, its replicas, its cluster.
 */
@NullMarked
package dev.leasehold.redis.node;

import org.jspecify.annotations.NullMarked;
