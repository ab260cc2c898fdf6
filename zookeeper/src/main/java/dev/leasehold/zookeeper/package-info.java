/**
 * Locks in ZooKeeper. Start at {@link dev.leasehold.zookeeper.ZooKeeperStore}, or with a URI {@code zookeeper://…}; for what
 * tokens guard, at {@link dev.leasehold.zookeeper.ZooKeeperFence}.
 *
 * <p>Inside: {@code Locks} has a client's claims and its session, {@code ZkClaim} is one claim, {@code ClaimState} leads through its steps, {@code
 * Lineup} looks at that queue, {@code SessionProof} says until when the session certainly lives, and {@code Heart} confirms
 * it. Everything happens in {@code Turns}, one after the other.
 */
@NullMarked
package dev.leasehold.zookeeper;

import org.jspecify.annotations.NullMarked;
