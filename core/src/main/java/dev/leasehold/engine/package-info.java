/**
 * This package is the engine: clients, the objects that they hand to users, and the runner of each lock's local queue. It is
 * not exported, and knows nothing of any particular store.
 */
@NullMarked
package dev.leasehold.engine;

import org.jspecify.annotations.NullMarked;
