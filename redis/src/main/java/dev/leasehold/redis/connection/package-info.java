/**
 * The connections to Redis: they are opened, kept open and written to in batches, and their failures are put into words.
 */
@NullMarked
package dev.leasehold.redis.connection;

import org.jspecify.annotations.NullMarked;
