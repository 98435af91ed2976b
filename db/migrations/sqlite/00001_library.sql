-- +goose Up
-- What jobs share: who owns things, tensor functions, devices, predictors.
-- Times are microseconds since 1970, UTC; 0 stands for "not yet".

CREATE TABLE projects (
  id         TEXT NOT NULL PRIMARY KEY,
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
INSERT INTO projects (id, name, created_at) VALUES ('default', 'this machine', 0);

CREATE TABLE workloads (
  id         INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  text       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE targets (
  id          INTEGER PRIMARY KEY,
  key         TEXT NOT NULL UNIQUE,
  key_version INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  isa         TEXT NOT NULL,
  features    TEXT NOT NULL CHECK (json_valid(features)),
  uarch       TEXT NOT NULL,
  model       TEXT NOT NULL,
  threads     INTEGER NOT NULL,
  spec        TEXT CHECK (json_valid(spec)),
  created_at  INTEGER NOT NULL
) STRICT;
-- The lookup walks the targets of one instruction set.
CREATE INDEX targets_isa ON targets (kind, isa);

CREATE TABLE cost_models (
  id         INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  target     TEXT NOT NULL,
  features   INTEGER NOT NULL,
  width      INTEGER NOT NULL,
  text       TEXT NOT NULL,
  checksum   TEXT NOT NULL,
  meta       TEXT CHECK (json_valid(meta)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX cost_models_newest ON cost_models (project_id, target, features, id);

-- +goose Down
DROP TABLE cost_models;
DROP TABLE targets;
DROP TABLE workloads;
DROP TABLE projects;
