/** The examination of a deployment, and its findings. */
@NullMarked
package dev.leasehold.redis.doctor;

import org.jspecify.annotations.NullMarked;
