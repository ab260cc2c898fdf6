package dev.leasehold.memory;

/** A lock key names a lock in a space by namespace and name, so that no choice of both can be mistaken for another. */
record LockKey(String namespace, String name) {}
