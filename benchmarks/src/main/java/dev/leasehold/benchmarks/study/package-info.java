/** Measurements that look at one thing of ours only, and compare it with nothing. */
package dev.leasehold.benchmarks.study;
