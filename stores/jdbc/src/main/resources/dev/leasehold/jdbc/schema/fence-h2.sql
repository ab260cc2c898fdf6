-- The newest fencing token of each resource, and the newest of those who share it with nobody. It belongs to the data that it guards, in the same database.

CREATE TABLE IF NOT EXISTS "leasehold_fence" (
    resource varchar(512) NOT NULL,
    token bigint NOT NULL,
    exclusive bigint NOT NULL,
    turns bigint NOT NULL, -- counts the registrations, each of which changes the row
    PRIMARY KEY (resource)
);
