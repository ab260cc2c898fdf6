/**
 * This package has distributed locks that tell the truth: exclusive, fenced, auto-renewed, first come first served.
 *
 * <p>Start at {@link dev.leasehold.Leasehold}. Unless a parameter or result is marked {@code @Nullable}, it is never
 * null, and a null argument is refused with a {@link NullPointerException} before anything is sent.
 */
@NullMarked
package dev.leasehold;

import org.jspecify.annotations.NullMarked;
