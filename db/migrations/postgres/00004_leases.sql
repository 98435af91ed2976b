-- +goose Up
-- Who acts for a job, a pool or a shard. A new owner has a new epoch.

CREATE TABLE leases (
  name  TEXT NOT NULL PRIMARY KEY,
  owner TEXT NOT NULL,
  epoch BIGINT NOT NULL,
  until BIGINT NOT NULL
);

-- +goose Down
DROP TABLE leases;
