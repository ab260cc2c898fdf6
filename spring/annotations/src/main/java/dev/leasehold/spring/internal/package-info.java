/** This package is what our own Spring modules share. It is not API. */
@NullMarked
package dev.leasehold.spring.internal;

import org.jspecify.annotations.NullMarked;
