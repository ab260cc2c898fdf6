package dev.leasehold.engine;

/**
 * A lock name is a lock's name as the store knows it, and how much of it a namespaced view puts in front of what the user
 * writes.
 *
 * @param full the name in the client's namespace
 * @param prefix the length of the view's prefix; 0 for the client itself
 */
public record LockName(String full, int prefix) {

    /** Returns the name as the user writes it. */
    public String own() {
        return full.substring(prefix);
    }

    @Override
    public String toString() {
        return full;
    }
}
