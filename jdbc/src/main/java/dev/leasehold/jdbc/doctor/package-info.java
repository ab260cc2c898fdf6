/** What an examination looks at, and what it says of it. */
@NullMarked
package dev.leasehold.jdbc.doctor;

import org.jspecify.annotations.NullMarked;
