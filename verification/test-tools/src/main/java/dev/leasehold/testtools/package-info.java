/** This package has what tests of several modules share: broken networks, virtual time, spoilt answers, models. */
@NullMarked
package dev.leasehold.testtools;

import org.jspecify.annotations.NullMarked;
