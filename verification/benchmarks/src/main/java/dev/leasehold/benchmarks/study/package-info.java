/** This package looks at one thing of ours only, and compares it with nothing. */
package dev.leasehold.benchmarks.study;
