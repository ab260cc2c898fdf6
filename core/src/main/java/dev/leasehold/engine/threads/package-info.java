/** This package has threads and what runs on them: mailboxes, timers, callbacks. */
@NullMarked
package dev.leasehold.engine.threads;

import org.jspecify.annotations.NullMarked;
