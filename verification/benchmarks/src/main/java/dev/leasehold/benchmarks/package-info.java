/** This package measures Leasehold beside other libraries, on the same server in the same run. Not published. */
package dev.leasehold.benchmarks;
