/**
 * This package has the connections to a database: where they come from, the state they are brought into, and statements on
 * them.
 */
@NullMarked
package dev.leasehold.jdbc.connection;

import org.jspecify.annotations.NullMarked;
