/** This package starts real servers for the tests and benchmarks of this build. Not published. */
package dev.leasehold.servers;
