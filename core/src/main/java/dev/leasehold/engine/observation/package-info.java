/**
 * What observers are told of calls and holds, in order, and on which threads.
 */
@NullMarked
package dev.leasehold.engine.observation;

import org.jspecify.annotations.NullMarked;
