/** This package has the scripts that run in Redis, their arguments and answers, and the names of keys. */
@NullMarked
package dev.leasehold.redis.script;

import org.jspecify.annotations.NullMarked;
