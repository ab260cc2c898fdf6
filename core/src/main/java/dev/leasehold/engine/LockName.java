package dev.leasehold.engine;

/**
 * A lock name is a lock's name as the store knows it, and as the user writes it.
 *
 * @param full the name in the client's namespace
 * @param own the name without the prefixes of a prefixed view
 * @param namespace the namespace of the client, and of the view
 */
public record LockName(String full, String own, String namespace) {

    @Override
    public String toString() {
        return full;
    }
}
