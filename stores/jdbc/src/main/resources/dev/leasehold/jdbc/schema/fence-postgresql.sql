-- The newest fencing token of each resource, and the newest of those who share it with nobody. It belongs to the data that it guards, in the same database.
-- Half of each page is left free, so that a changed row stays on its page and no index has to be touched.

CREATE TABLE IF NOT EXISTS "leasehold_fence" (
    resource text COLLATE "C" NOT NULL,
    token bigint NOT NULL,
    exclusive bigint NOT NULL,
    PRIMARY KEY (resource)
) WITH (fillfactor = 50);
