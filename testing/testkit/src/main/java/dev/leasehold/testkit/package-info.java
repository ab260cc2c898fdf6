/**
 * This package has tests for authors of stores: four contract suites that every store has to pass, and a history checker.
 *
 * <p>A store's module extends the suite's abstract classes in a few lines each. {@link
 * dev.leasehold.testkit.HistoryChecker} judges the logs of any number of clients.
 */
@NullMarked
package dev.leasehold.testkit;

import org.jspecify.annotations.NullMarked;
