CREATE TABLE migrated (id INT);
