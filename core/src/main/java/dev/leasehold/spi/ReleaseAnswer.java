package dev.leasehold.spi;

/** A release answer is a store's answer to a release. */
public enum ReleaseAnswer {
    /** The lease was there and has been ended by this request. */
    RELEASED,
    /** There was no such lease: it had run out, was broken, was lost by the store, or an earlier request ended it. */
    NOT_HELD
}
