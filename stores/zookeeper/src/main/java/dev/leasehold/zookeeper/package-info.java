/**
 * This package keeps locks in ZooKeeper. Start at {@link dev.leasehold.zookeeper.ZooKeeperStore}, or with a URI {@code
 * zookeeper://…}; for what tokens guard, at {@link dev.leasehold.zookeeper.ZooKeeperFence}.
 *
 * <p>Inside: {@code ClientSession} is a client's session, {@code ClientLocks} are its claims. {@code ZkClaim} is one claim, {@code ClaimState} leads
 * it from one {@code ClaimStep} to the next, and {@code QueueView} looks at the queue for it. {@code SessionProof} says until
 * when the session certainly lives, and {@code SessionHeartbeat} confirms it. Everything runs in the client's serial executor, one task after
 * the other.
 */
@NullMarked
package dev.leasehold.zookeeper;

import org.jspecify.annotations.NullMarked;
