package dev.leasehold.memory;

/** What names a lock in a space: the pair, so that no choice of both can be mistaken for another. */
record LockKey(String namespace, String name) {}
