/**
 * For authors of stores: the contract suite that every store has to pass, and what it is made of.
 *
 * <p>A store's module extends the suite's abstract classes in a few lines each. {@link
 * dev.leasehold.testkit.HistoryChecker} judges what any number of clients have logged.
 */
@NullMarked
package dev.leasehold.testkit;

import org.jspecify.annotations.NullMarked;
