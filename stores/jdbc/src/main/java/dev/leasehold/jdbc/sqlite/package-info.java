/** This package keeps locks in an SQLite file, for the processes of one machine. */
@NullMarked
package dev.leasehold.jdbc.sqlite;

import org.jspecify.annotations.NullMarked;
