-- The newest fencing token of each resource. It belongs to the data that it guards, in the same database.

CREATE TABLE IF NOT EXISTS "leasehold_fence" (
    resource varchar(512) NOT NULL,
    token bigint NOT NULL,
    turns bigint NOT NULL, -- counts the registrations, each of which changes the row
    PRIMARY KEY (resource)
);
