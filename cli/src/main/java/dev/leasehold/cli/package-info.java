/** This package is the {@code leasehold} command: it runs a command under a lock, shows locks, breaks them. */
@NullMarked
package dev.leasehold.cli;

import org.jspecify.annotations.NullMarked;
