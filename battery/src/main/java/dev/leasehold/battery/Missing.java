package dev.leasehold.battery;

/** This machine lacks what a run needs; the run is left out, with a word. */
final class Missing extends RuntimeException {

    private static final long serialVersionUID = 1;

    Missing(String what) {
        super(what);
    }
}
