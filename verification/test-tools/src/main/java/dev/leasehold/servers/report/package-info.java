/** This package draws what the battery and the benchmarks of this build have seen. Not published. */
package dev.leasehold.servers.report;
