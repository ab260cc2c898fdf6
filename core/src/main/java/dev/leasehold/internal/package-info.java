/**
 * This package has the classes that Leasehold's own modules share. The package is exported to them alone, is no API, and
 * changes without notice.
 */
@NullMarked
package dev.leasehold.internal;

import org.jspecify.annotations.NullMarked;
