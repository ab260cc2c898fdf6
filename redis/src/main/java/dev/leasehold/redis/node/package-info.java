/** One deployment of Redis as a store: operations on its master, its messages, its replicas, its cluster. */
@NullMarked
package dev.leasehold.redis.node;

import org.jspecify.annotations.NullMarked;
