/**
 * This package is the Redlock algorithm over masters that it knows only as {@link dev.leasehold.redis.quorum.Voter}: it
 * knows no connection.
 */
@NullMarked
package dev.leasehold.redis.quorum;

import org.jspecify.annotations.NullMarked;
