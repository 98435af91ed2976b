-- +goose Up
-- Who acts for a job, a pool or a shard. A new owner has a new epoch.

CREATE TABLE leases (
  name  TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;

-- +goose Down
DROP TABLE leases;
