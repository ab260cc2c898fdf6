/**
 * This package runs whole clients on virtual time over a simulated store, network and machine, from one seed.
 *
 * <p>{@link dev.leasehold.testkit.sim.SimNode} is the store contract as a pure function and can be used alone, as the
 * model of a real store; {@link dev.leasehold.testkit.sim.Simulator} runs everything.
 */
@NullMarked
package dev.leasehold.testkit.sim;

import org.jspecify.annotations.NullMarked;
