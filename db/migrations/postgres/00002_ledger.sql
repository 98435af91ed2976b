-- +goose Up
-- Jobs and the ledger of their trials: enough to rebuild a session at any time.

CREATE TABLE jobs (
  id             TEXT NOT NULL PRIMARY KEY,
  project_id     TEXT NOT NULL REFERENCES projects (id),
  name           TEXT NOT NULL,
  job_key        TEXT NOT NULL,
  idempotency    TEXT NOT NULL,
  class          TEXT NOT NULL CHECK (class IN ('interactive', 'ci', 'nightly')),
  weight         BIGINT NOT NULL CHECK (weight >= 1),
  state          TEXT NOT NULL CHECK (state IN ('queued', 'running', 'paused', 'stopping', 'done', 'failed', 'cancelled')),
  reason         TEXT NOT NULL DEFAULT '',
  spec           JSON NOT NULL,
  seed           BIGINT NOT NULL,
  model_digest   TEXT NOT NULL,
  trial_budget   BIGINT NOT NULL,
  time_budget_us BIGINT NOT NULL,
  time_spent_us  BIGINT NOT NULL DEFAULT 0,
  proposed       BIGINT NOT NULL DEFAULT 0,
  closed         BIGINT NOT NULL DEFAULT 0,
  charged        BIGINT NOT NULL DEFAULT 0,
  last_event     BIGINT NOT NULL DEFAULT 0,
  created_at     BIGINT NOT NULL,
  started_at     BIGINT NOT NULL DEFAULT 0,
  ended_at       BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX jobs_idempotency ON jobs (project_id, idempotency) WHERE idempotency <> '';
CREATE INDEX jobs_key ON jobs (project_id, job_key, id);
CREATE INDEX jobs_unfinished ON jobs (state) WHERE state IN ('queued', 'running', 'paused', 'stopping');

CREATE TABLE tasks (
  id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id  TEXT NOT NULL REFERENCES projects (id),
  job_id      TEXT NOT NULL REFERENCES jobs (id),
  idx         BIGINT NOT NULL,
  name        TEXT NOT NULL,
  workload_id BIGINT NOT NULL REFERENCES workloads (id),
  target_id   BIGINT NOT NULL REFERENCES targets (id),
  weight      DOUBLE PRECISION NOT NULL,
  variants    JSON,
  spec        JSON,
  build_pool  TEXT NOT NULL,
  device_pool TEXT NOT NULL,
  threads     BIGINT NOT NULL,
  trials      BIGINT NOT NULL DEFAULT 0,
  default_ns  DOUBLE PRECISION NOT NULL DEFAULT 0,
  best_ns     DOUBLE PRECISION NOT NULL DEFAULT 0,
  best_trial  BIGINT NOT NULL DEFAULT 0,
  UNIQUE (job_id, idx)
);

CREATE TABLE trials (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  job_id     TEXT NOT NULL REFERENCES jobs (id),
  task_id    BIGINT NOT NULL REFERENCES tasks (id),
  seq        BIGINT NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('measure', 'race')),
  of_trial   BIGINT NOT NULL DEFAULT 0,
  against    BIGINT NOT NULL DEFAULT 0,
  baseline   BOOLEAN NOT NULL,
  variant    TEXT NOT NULL,
  trace      JSON NOT NULL,
  trace_hash TEXT NOT NULL,
  seen       BIGINT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('queued', 'building', 'built', 'measuring', 'closed')),
  attempt    BIGINT NOT NULL DEFAULT 1,
  pool       TEXT NOT NULL,
  work_id    TEXT NOT NULL DEFAULT '',
  solo       BOOLEAN NOT NULL DEFAULT FALSE,
  build      JSON,
  code       TEXT NOT NULL DEFAULT '',
  ord        BIGINT NOT NULL DEFAULT 0,
  charged    BOOLEAN NOT NULL DEFAULT FALSE,
  ns         DOUBLE PRECISION NOT NULL DEFAULT 0,
  record_id  BIGINT NOT NULL DEFAULT 0,
  accepted   BIGINT NOT NULL DEFAULT 0,
  created_at BIGINT NOT NULL,
  closed_at  BIGINT NOT NULL DEFAULT 0,
  UNIQUE (job_id, seq),
  CHECK ((state = 'closed') = (code <> '')),
  CHECK ((state = 'closed') = (ord > 0))
);
-- One result each place in the order of acceptance.
CREATE UNIQUE INDEX trials_order ON trials (job_id, ord) WHERE ord > 0;
CREATE INDEX trials_open ON trials (job_id, seq) WHERE state <> 'closed';
CREATE INDEX trials_waiting ON trials (pool, job_id, seq) WHERE state IN ('queued', 'built');

CREATE TABLE work_items (
  id         TEXT NOT NULL PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  job_id     TEXT NOT NULL REFERENCES jobs (id),
  task_id    BIGINT NOT NULL REFERENCES tasks (id),
  kind       TEXT NOT NULL CHECK (kind IN ('build', 'measure', 'race', 'selftest')),
  pool       TEXT NOT NULL,
  attempt    BIGINT NOT NULL,
  nonce      TEXT NOT NULL,
  trials     JSON NOT NULL,
  spec       JSON,
  cost_us    BIGINT NOT NULL,
  sent_at    BIGINT NOT NULL,
  deadline   BIGINT NOT NULL,
  code       TEXT NOT NULL DEFAULT '',
  closed_at  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX work_items_out ON work_items (pool, job_id) WHERE closed_at = 0;
CREATE INDEX work_items_deadline ON work_items (deadline) WHERE closed_at = 0;

CREATE TABLE attempts (
  id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  trial_id   BIGINT NOT NULL REFERENCES trials (id),
  work_id    TEXT NOT NULL,
  attempt    BIGINT NOT NULL,
  kind       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  device     TEXT NOT NULL,
  boot       TEXT NOT NULL,
  build_id   TEXT NOT NULL,
  deliveries BIGINT NOT NULL,
  code       TEXT NOT NULL,
  stage      TEXT NOT NULL,
  ns         DOUBLE PRECISION NOT NULL,
  ratio      DOUBLE PRECISION NOT NULL,
  ci_low     DOUBLE PRECISION NOT NULL,
  ci_high    DOUBLE PRECISION NOT NULL,
  max_err    DOUBLE PRECISION NOT NULL,
  samples    JSON NOT NULL,
  incumbent  JSON NOT NULL,
  conditions JSON,
  clocks     JSON,
  log        TEXT NOT NULL,
  message    TEXT NOT NULL,
  accepted   BOOLEAN NOT NULL,
  at         BIGINT NOT NULL,
  -- A result delivered twice is one attempt.
  UNIQUE (trial_id, work_id, attempt, agent, code)
);

-- A job's virtual time in a pool: device seconds divided by weight.
CREATE TABLE job_pools (
  job_id    TEXT NOT NULL REFERENCES jobs (id),
  pool      TEXT NOT NULL,
  vtime     DOUBLE PRECISION NOT NULL DEFAULT 0,
  served_at BIGINT NOT NULL,
  PRIMARY KEY (pool, job_id)
);

CREATE TABLE job_events (
  job_id  TEXT NOT NULL REFERENCES jobs (id),
  seq     BIGINT NOT NULL,
  at      BIGINT NOT NULL,
  kind    TEXT NOT NULL,
  version BIGINT NOT NULL,
  body    JSON NOT NULL,
  PRIMARY KEY (job_id, seq)
);

-- +goose Down
DROP TABLE job_events;
DROP TABLE job_pools;
DROP TABLE attempts;
DROP TABLE work_items;
DROP TABLE trials;
DROP TABLE tasks;
DROP TABLE jobs;
