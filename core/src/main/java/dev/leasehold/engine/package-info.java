/**
 * The engine: one local queue per lock in use, the watchdog over its lease, and what drives them. Not exported. Knows
 * nothing of any particular store.
 */
@NullMarked
package dev.leasehold.engine;

import org.jspecify.annotations.NullMarked;
