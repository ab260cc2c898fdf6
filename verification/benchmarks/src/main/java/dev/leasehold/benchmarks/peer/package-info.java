/** This package has the libraries that are compared, each behind the same two methods. */
package dev.leasehold.benchmarks.peer;
