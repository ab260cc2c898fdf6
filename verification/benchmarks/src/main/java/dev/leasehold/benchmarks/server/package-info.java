/** This package starts the servers that benchmarks run on, and counts what they do. */
package dev.leasehold.benchmarks.server;
