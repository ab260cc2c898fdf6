/**
 * This package opens connections to Redis, keeps them open, writes to them in batches, and puts their failures into words.
 */
@NullMarked
package dev.leasehold.redis.connection;

import org.jspecify.annotations.NullMarked;
