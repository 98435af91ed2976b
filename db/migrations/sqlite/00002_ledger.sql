-- +goose Up
-- Jobs and the ledger of their trials: enough to rebuild a session at any time.

CREATE TABLE jobs (
  id             TEXT NOT NULL PRIMARY KEY,
  project_id     TEXT NOT NULL REFERENCES projects (id),
  name           TEXT NOT NULL,
  job_key        TEXT NOT NULL,
  idempotency    TEXT NOT NULL,
  class          TEXT NOT NULL CHECK (class IN ('interactive', 'ci', 'nightly')),
  weight         INTEGER NOT NULL CHECK (weight >= 1),
  state          TEXT NOT NULL CHECK (state IN ('queued', 'running', 'paused', 'stopping', 'done', 'failed', 'cancelled')),
  reason         TEXT NOT NULL DEFAULT '',
  spec           TEXT NOT NULL CHECK (json_valid(spec)),
  seed           INTEGER NOT NULL,
  model_digest   TEXT NOT NULL,
  trial_budget   INTEGER NOT NULL,
  time_budget_us INTEGER NOT NULL,
  time_spent_us  INTEGER NOT NULL DEFAULT 0,
  proposed       INTEGER NOT NULL DEFAULT 0,
  closed         INTEGER NOT NULL DEFAULT 0,
  charged        INTEGER NOT NULL DEFAULT 0,
  last_event     INTEGER NOT NULL DEFAULT 0,
  created_at     INTEGER NOT NULL,
  started_at     INTEGER NOT NULL DEFAULT 0,
  ended_at       INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX jobs_idempotency ON jobs (project_id, idempotency) WHERE idempotency <> '';
CREATE INDEX jobs_key ON jobs (project_id, job_key, id);
CREATE INDEX jobs_unfinished ON jobs (state) WHERE state IN ('queued', 'running', 'paused', 'stopping');

CREATE TABLE tasks (
  id          INTEGER PRIMARY KEY,
  project_id  TEXT NOT NULL REFERENCES projects (id),
  job_id      TEXT NOT NULL REFERENCES jobs (id),
  idx         INTEGER NOT NULL,
  name        TEXT NOT NULL,
  workload_id INTEGER NOT NULL REFERENCES workloads (id),
  target_id   INTEGER NOT NULL REFERENCES targets (id),
  weight      REAL NOT NULL,
  variants    TEXT CHECK (json_valid(variants)),
  spec        TEXT CHECK (json_valid(spec)),
  build_pool  TEXT NOT NULL,
  device_pool TEXT NOT NULL,
  threads     INTEGER NOT NULL,
  trials      INTEGER NOT NULL DEFAULT 0,
  default_ns  REAL NOT NULL DEFAULT 0,
  best_ns     REAL NOT NULL DEFAULT 0,
  best_trial  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (job_id, idx)
) STRICT;

CREATE TABLE trials (
  id         INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  job_id     TEXT NOT NULL REFERENCES jobs (id),
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  seq        INTEGER NOT NULL,
  kind       TEXT NOT NULL CHECK (kind IN ('measure', 'race')),
  of_trial   INTEGER NOT NULL DEFAULT 0,
  against    INTEGER NOT NULL DEFAULT 0,
  baseline   INTEGER NOT NULL,
  variant    TEXT NOT NULL,
  trace      TEXT NOT NULL CHECK (json_valid(trace)),
  trace_hash TEXT NOT NULL,
  seen       INTEGER NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('queued', 'building', 'built', 'measuring', 'closed')),
  attempt    INTEGER NOT NULL DEFAULT 1,
  pool       TEXT NOT NULL,
  work_id    TEXT NOT NULL DEFAULT '',
  solo       INTEGER NOT NULL DEFAULT 0,
  build      TEXT CHECK (json_valid(build)),
  code       TEXT NOT NULL DEFAULT '',
  ord        INTEGER NOT NULL DEFAULT 0,
  charged    INTEGER NOT NULL DEFAULT 0,
  ns         REAL NOT NULL DEFAULT 0,
  record_id  INTEGER NOT NULL DEFAULT 0,
  accepted   INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  closed_at  INTEGER NOT NULL DEFAULT 0,
  UNIQUE (job_id, seq),
  CHECK ((state = 'closed') = (code <> '')),
  CHECK ((state = 'closed') = (ord > 0))
) STRICT;
-- One result each place in the order of acceptance.
CREATE UNIQUE INDEX trials_order ON trials (job_id, ord) WHERE ord > 0;
CREATE INDEX trials_open ON trials (job_id, seq) WHERE state <> 'closed';
CREATE INDEX trials_waiting ON trials (pool, job_id, seq) WHERE state IN ('queued', 'built');

CREATE TABLE work_items (
  id         TEXT NOT NULL PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  job_id     TEXT NOT NULL REFERENCES jobs (id),
  task_id    INTEGER NOT NULL REFERENCES tasks (id),
  kind       TEXT NOT NULL CHECK (kind IN ('build', 'measure', 'race', 'selftest')),
  pool       TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  nonce      TEXT NOT NULL,
  trials     TEXT NOT NULL CHECK (json_valid(trials)),
  spec       TEXT CHECK (json_valid(spec)),
  cost_us    INTEGER NOT NULL,
  sent_at    INTEGER NOT NULL,
  deadline   INTEGER NOT NULL,
  code       TEXT NOT NULL DEFAULT '',
  closed_at  INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX work_items_out ON work_items (pool, job_id) WHERE closed_at = 0;
CREATE INDEX work_items_deadline ON work_items (deadline) WHERE closed_at = 0;

CREATE TABLE attempts (
  id         INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES projects (id),
  trial_id   INTEGER NOT NULL REFERENCES trials (id),
  work_id    TEXT NOT NULL,
  attempt    INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  agent      TEXT NOT NULL,
  device     TEXT NOT NULL,
  boot       TEXT NOT NULL,
  build_id   TEXT NOT NULL,
  deliveries INTEGER NOT NULL,
  code       TEXT NOT NULL,
  stage      TEXT NOT NULL,
  ns         REAL NOT NULL,
  ratio      REAL NOT NULL,
  ci_low     REAL NOT NULL,
  ci_high    REAL NOT NULL,
  max_err    REAL NOT NULL,
  samples    TEXT NOT NULL CHECK (json_valid(samples)),
  incumbent  TEXT NOT NULL CHECK (json_valid(incumbent)),
  conditions TEXT CHECK (json_valid(conditions)),
  clocks     TEXT CHECK (json_valid(clocks)),
  log        TEXT NOT NULL,
  message    TEXT NOT NULL,
  accepted   INTEGER NOT NULL,
  at         INTEGER NOT NULL,
  -- A result delivered twice is one attempt.
  UNIQUE (trial_id, work_id, attempt, agent, code)
) STRICT;

-- A job's virtual time in a pool: device seconds divided by weight.
CREATE TABLE job_pools (
  job_id    TEXT NOT NULL REFERENCES jobs (id),
  pool      TEXT NOT NULL,
  vtime     REAL NOT NULL DEFAULT 0,
  served_at INTEGER NOT NULL,
  PRIMARY KEY (pool, job_id)
) STRICT;

CREATE TABLE job_events (
  job_id  TEXT NOT NULL REFERENCES jobs (id),
  seq     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  kind    TEXT NOT NULL,
  version INTEGER NOT NULL,
  body    TEXT NOT NULL CHECK (json_valid(body)),
  PRIMARY KEY (job_id, seq)
) STRICT;

-- +goose Down
DROP TABLE job_events;
DROP TABLE job_pools;
DROP TABLE attempts;
DROP TABLE work_items;
DROP TABLE trials;
DROP TABLE tasks;
DROP TABLE jobs;
