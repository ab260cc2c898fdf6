/** This package examines a deployment, and says what it found. */
@NullMarked
package dev.leasehold.redis.doctor;

import org.jspecify.annotations.NullMarked;
