/**
 * This package is the contract between the engine and stores: what a store implements and what it may use. Asynchronous, few
 * operations, each safe to repeat.
 */
@NullMarked
package dev.leasehold.spi;

import org.jspecify.annotations.NullMarked;
