/** This package has the processes whose threads contend, and how the runner speaks to them. */
package dev.leasehold.benchmarks.worker;
