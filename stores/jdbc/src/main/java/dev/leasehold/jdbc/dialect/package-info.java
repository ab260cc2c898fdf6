/** This package has what is different between databases: their statements, tables, errors and session locks. */
@NullMarked
package dev.leasehold.jdbc.dialect;

import org.jspecify.annotations.NullMarked;
