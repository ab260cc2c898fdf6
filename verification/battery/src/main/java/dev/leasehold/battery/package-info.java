/**
 * This package is the fault battery: real stores, client processes and faults, and a judgement of the history. Not
 * published.
 */
package dev.leasehold.battery;
