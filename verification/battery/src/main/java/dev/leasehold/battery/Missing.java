package dev.leasehold.battery;

/**
 * A missing exception says that this machine lacks something that a run needs; the run is left out, and that is
 * reported.
 */
final class Missing extends RuntimeException {

    private static final long serialVersionUID = 1;

    Missing(String what) {
        super(what);
    }
}
