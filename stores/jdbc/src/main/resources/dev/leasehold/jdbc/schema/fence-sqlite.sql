-- The newest fencing token of each resource, and the newest of those who share it with nobody. It belongs to the data that it guards, in the same file.

CREATE TABLE IF NOT EXISTS "leasehold_fence" (
    resource  TEXT    NOT NULL,
    token     INTEGER NOT NULL,
    exclusive INTEGER NOT NULL,
    PRIMARY KEY (resource)
) WITHOUT ROWID;
