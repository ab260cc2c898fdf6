/** This package keeps locks in a database server: in lock tables, and in the server's own session locks. */
@NullMarked
package dev.leasehold.jdbc.server;

import org.jspecify.annotations.NullMarked;
