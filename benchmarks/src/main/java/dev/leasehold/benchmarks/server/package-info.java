/** The servers that benchmarks run on, and what they count. */
package dev.leasehold.benchmarks.server;
