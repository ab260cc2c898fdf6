-- The newest fencing token of each resource, and the newest of those who share it with nobody. It belongs to the data that it guards, in the same database.
-- Names are bytes (UTF-8), so that no collation takes one for another.

CREATE TABLE IF NOT EXISTS `leasehold_fence` (
    resource varbinary(512) NOT NULL,
    token bigint NOT NULL,
    exclusive bigint NOT NULL,
    turns bigint NOT NULL, -- counts the registrations, so that a transaction whose view is older can tell
    PRIMARY KEY (resource)
) ENGINE = InnoDB;
