/** Locks in ZooKeeper. */
@NullMarked
package dev.leasehold.zookeeper;

import org.jspecify.annotations.NullMarked;
