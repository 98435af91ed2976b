-- +goose Up
-- What jobs share: who owns things, tensor functions, devices, predictors.
-- Times are microseconds since 1970, UTC; 0 stands for "not yet".

CREATE TABLE projects (
  id         TEXT NOT NULL PRIMARY KEY,
  name       TEXT NOT NULL,
  created_at BIGINT NOT NULL
);
INSERT INTO projects (id, name, created_at) VALUES ('default', 'this machine', 0);

CREATE TABLE workloads (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  text       TEXT NOT NULL,
  created_at BIGINT NOT NULL
);

CREATE TABLE targets (
  id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key         TEXT NOT NULL UNIQUE,
  key_version BIGINT NOT NULL,
  kind        TEXT NOT NULL,
  isa         TEXT NOT NULL,
  features    JSON NOT NULL,
  uarch       TEXT NOT NULL,
  model       TEXT NOT NULL,
  threads     BIGINT NOT NULL,
  spec        JSON,
  created_at  BIGINT NOT NULL
);
-- The lookup walks the targets of one instruction set.
CREATE INDEX targets_isa ON targets (kind, isa);

CREATE TABLE cost_models (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  target     TEXT NOT NULL,
  features   BIGINT NOT NULL,
  width      BIGINT NOT NULL,
  text       TEXT NOT NULL,
  checksum   TEXT NOT NULL,
  meta       JSON,
  created_at BIGINT NOT NULL
);
CREATE INDEX cost_models_newest ON cost_models (project_id, target, features, id);

-- +goose Down
DROP TABLE cost_models;
DROP TABLE targets;
DROP TABLE workloads;
DROP TABLE projects;
