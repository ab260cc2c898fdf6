/** What an examination looks at, and what it says of it. */
@NullMarked
package dev.leasehold.redis.doctor;

import org.jspecify.annotations.NullMarked;
