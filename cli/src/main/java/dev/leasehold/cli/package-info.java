/** The {@code leasehold} command: runs a command under a lock, shows locks, breaks them. */
@NullMarked
package dev.leasehold.cli;

import org.jspecify.annotations.NullMarked;
