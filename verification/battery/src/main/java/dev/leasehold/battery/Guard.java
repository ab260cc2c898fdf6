package dev.leasehold.battery;

import java.util.Locale;

/** A guard is how the resource of a {@link SetWorkload} uses the fencing tokens that it is shown. */
enum Guard {
    /** The resource checks nothing: a writer that was paused overwrites later ones. */
    UNGUARDED,
    /** It compares them at writes only: a stale write can still land between a successor's read and write. */
    WRITES,
    /** It registers the token before the first read and refuses older ones from then on. */
    REGISTERED;

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
