-- Layout 1. Times for people and tokens are microseconds of the wall clock. "ends" and "alive_until" are microseconds of
-- the clock that "boot" names; readings of two boots cannot be compared.

CREATE TABLE leasehold_lock (
    id        INTEGER PRIMARY KEY,
    namespace TEXT    NOT NULL,
    name      TEXT    NOT NULL,
    last      INTEGER NOT NULL DEFAULT 0,  -- the greatest token that any run has reserved
    client    TEXT,                        -- with counter: the claim that holds the lock; '*' where several share it, null where nobody has it
    counter   INTEGER,
    token     INTEGER NOT NULL DEFAULT 0,  -- the run of the lease: token to run_end
    run_end   INTEGER NOT NULL DEFAULT 0,
    owner     TEXT    NOT NULL DEFAULT '',
    since     INTEGER NOT NULL DEFAULT 0,
    boot      TEXT    NOT NULL DEFAULT '',
    ends      INTEGER NOT NULL DEFAULT 0,
    span      INTEGER NOT NULL DEFAULT 0,  -- from the last change to "ends"; 0 where the lock is free
    handed    INTEGER NOT NULL DEFAULT 0,  -- 1 while a hand-over waits to be confirmed
    UNIQUE (namespace, name)
);

CREATE INDEX leasehold_handed ON leasehold_lock (client) WHERE handed = 1;

-- Those who share a lock. Its own row has client '*' for as long, the greatest token, and an end that none of theirs is after.
CREATE TABLE leasehold_holder (
    lock    INTEGER NOT NULL,
    token   INTEGER NOT NULL,  -- the run of the lease: token to run_end
    client  TEXT,              -- with counter: the claim that shares the lock; null where its share is kept for nobody
    counter INTEGER,
    owner   TEXT    NOT NULL,
    run_end INTEGER NOT NULL,
    share   INTEGER NOT NULL,  -- with how many at most, itself included
    slot    INTEGER NOT NULL,  -- of a permit; -1 without one
    since   INTEGER NOT NULL,
    boot    TEXT    NOT NULL,
    ends    INTEGER NOT NULL,
    span    INTEGER NOT NULL,
    handed  INTEGER NOT NULL,
    PRIMARY KEY (lock, token)
) WITHOUT ROWID;

CREATE INDEX leasehold_holder_handed ON leasehold_holder (client) WHERE handed = 1;

CREATE TABLE leasehold_waiter (
    lock        INTEGER NOT NULL,
    position    INTEGER NOT NULL,
    client      TEXT    NOT NULL,
    counter     INTEGER NOT NULL,
    owner       TEXT    NOT NULL,
    since       INTEGER NOT NULL,
    lease       INTEGER NOT NULL,
    spare       INTEGER NOT NULL,
    share       INTEGER NOT NULL,
    boot        TEXT    NOT NULL,
    alive_for   INTEGER NOT NULL,
    alive_until INTEGER NOT NULL,
    PRIMARY KEY (lock, position)
) WITHOUT ROWID;

-- When a boot first saw a version of a row that another boot has written, and when it therefore ends.
CREATE TABLE leasehold_sighting (
    lock       INTEGER NOT NULL,
    token      INTEGER NOT NULL,
    boot       TEXT    NOT NULL,
    seen_boot  TEXT    NOT NULL,
    seen_ends  INTEGER NOT NULL,
    ends       INTEGER NOT NULL,
    PRIMARY KEY (lock, token, boot)
) WITHOUT ROWID;
