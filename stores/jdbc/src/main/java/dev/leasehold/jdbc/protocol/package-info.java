/**
 * This package has what the embedded file and the servers have in common: operations, rows, and the order in which they are
 * read and written.
 */
@NullMarked
package dev.leasehold.jdbc.protocol;

import org.jspecify.annotations.NullMarked;
