/** Locks in a database server: lock tables, and the server's own session locks. */
@NullMarked
package dev.leasehold.jdbc.server;

import org.jspecify.annotations.NullMarked;
