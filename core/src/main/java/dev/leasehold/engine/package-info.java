/**
 * The engine: clients, what they hand to users, and what drives the local queue of each lock in use. It is not exported, and
 * knows nothing of any particular store.
 */
@NullMarked
package dev.leasehold.engine;

import org.jspecify.annotations.NullMarked;
