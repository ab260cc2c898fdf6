/**
 * This package has the events for the JDK's flight recorder. Nothing outside uses a type of {@code jdk.jfr}, a module that a
 * runtime may lack.
 *
 * <ul>
 *   <li>{@code dev.leasehold.LockAcquire}: a call for a lock, from asking to its outcome
 *   <li>{@code dev.leasehold.LockHold}: a hold, from its beginning to its end
 *   <li>{@code dev.leasehold.LeaseRenewal}: an answered or failed renewal
 *   <li>{@code dev.leasehold.LeaseLost}: the loss of a lease
 *   <li>{@code dev.leasehold.LockHandOver}: a hand-over within this process; off unless it is switched on
 * </ul>
 *
 * Acquisitions and holds that take less than 10 ms are not recorded unless the recording sets their threshold lower.
 */
@NullMarked
package dev.leasehold.engine.jfr;

import org.jspecify.annotations.NullMarked;
