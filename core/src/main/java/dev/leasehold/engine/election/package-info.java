/** This package elects leaders on top of the lock: candidates, campaigns, terms of office. */
@NullMarked
package dev.leasehold.engine.election;

import org.jspecify.annotations.NullMarked;
