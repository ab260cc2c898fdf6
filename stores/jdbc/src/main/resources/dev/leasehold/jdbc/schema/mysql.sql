-- Layout 1. Names are bytes (UTF-8), so that no collation takes one for another. All times are microseconds since 1970
-- on the database's clock, never shown in a time zone.

CREATE TABLE IF NOT EXISTS `leasehold_lock` (
    namespace varbinary(64) NOT NULL,
    name varbinary(512) NOT NULL,
    last bigint DEFAULT 0 NOT NULL, -- the greatest token that any run has reserved
    client varchar(200) CHARACTER SET ascii COLLATE ascii_bin, -- with counter: the claim that holds the lock; '*' where several share it, null where nobody has it
    counter bigint,
    token bigint DEFAULT 0 NOT NULL, -- the run of the lease: token to run_end
    run_end bigint DEFAULT 0 NOT NULL,
    owner varchar(2000) CHARACTER SET utf8mb4 DEFAULT '' NOT NULL,
    since bigint DEFAULT 0 NOT NULL,
    ends bigint DEFAULT 0 NOT NULL, -- taken until then; free from then on
    handed bigint DEFAULT 0 NOT NULL, -- 1 while a hand-over waits to be confirmed
    waiters bigint DEFAULT 0 NOT NULL, -- how many rows of leasehold_waiter belong to it, dead or alive
    PRIMARY KEY (namespace, name)
) ENGINE = InnoDB;

-- Those who share a lock. Its own row has client '*' for as long, and the greatest token; its end does not count.
CREATE TABLE IF NOT EXISTS `leasehold_holder` (
    namespace varbinary(64) NOT NULL,
    name varbinary(512) NOT NULL,
    token bigint NOT NULL, -- the run of the lease: token to run_end
    client varchar(200) CHARACTER SET ascii COLLATE ascii_bin, -- with counter: the claim that shares the lock; null where its share is kept for nobody
    counter bigint,
    owner varchar(2000) CHARACTER SET utf8mb4 NOT NULL,
    run_end bigint NOT NULL,
    share bigint NOT NULL, -- with how many at most, itself included
    slot bigint NOT NULL, -- of a permit; -1 without one
    since bigint NOT NULL,
    ends bigint NOT NULL,
    PRIMARY KEY (namespace, name, token)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS `leasehold_waiter` (
    namespace varbinary(64) NOT NULL,
    name varbinary(512) NOT NULL,
    position bigint NOT NULL,
    client varchar(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    counter bigint NOT NULL,
    owner varchar(2000) CHARACTER SET utf8mb4 NOT NULL,
    since bigint NOT NULL,
    lease bigint NOT NULL,
    spare bigint NOT NULL,
    share bigint NOT NULL,
    alive_until bigint NOT NULL,
    PRIMARY KEY (namespace, name, position)
) ENGINE = InnoDB;

CREATE TABLE IF NOT EXISTS `leasehold_layout` (
    layout bigint NOT NULL,
    PRIMARY KEY (layout)
) ENGINE = InnoDB;

INSERT INTO `leasehold_layout` (layout) SELECT 1 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM `leasehold_layout`);
