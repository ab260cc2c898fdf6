package dev.leasehold.engine.queue;

import dev.leasehold.LockException;
import org.jspecify.annotations.Nullable;

/**
 * A loss is how a hold was lost, for people.
 *
 * @param why in words
 * @param failure the last failure of the store before it, where there is one
 */
public record Loss(String why, @Nullable LockException failure) {}
