/** This package is the resource's side of fencing: a table that refuses older tokens. */
@NullMarked
package dev.leasehold.jdbc.fence;

import org.jspecify.annotations.NullMarked;
