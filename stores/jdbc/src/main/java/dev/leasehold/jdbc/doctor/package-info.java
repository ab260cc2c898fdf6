/** This package examines a database, and says what it found. */
@NullMarked
package dev.leasehold.jdbc.doctor;

import org.jspecify.annotations.NullMarked;
