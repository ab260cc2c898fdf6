/** This package makes results of the measurements: medians with intervals, CSV, Markdown, a page with plots. */
package dev.leasehold.benchmarks.report;
