/** This package tells observers of calls and holds, in order, and on the right threads. */
@NullMarked
package dev.leasehold.engine.observation;

import org.jspecify.annotations.NullMarked;
