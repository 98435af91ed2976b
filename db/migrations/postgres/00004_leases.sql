-- +goose Up
-- Who acts for a job, a pool or a shard. A new owner has a new epoch.

CREATE TABLE leases (
  name  TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  until BIGINT NOT NULL
);

-- What is decided once for the whole database, such as its cluster's name.
CREATE TABLE settings (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
);

-- +goose Down
DROP TABLE settings;
DROP TABLE leases;
