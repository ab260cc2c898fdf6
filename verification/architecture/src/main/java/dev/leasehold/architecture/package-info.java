/** This package has rules for the structure of this project's own modules, and for texts that change only on purpose. */
@NullMarked
package dev.leasehold.architecture;

import org.jspecify.annotations.NullMarked;
