-- +goose Up
-- What tuning found: immutable records, and the champions among them.

CREATE TABLE records (
  id          INTEGER PRIMARY KEY,
  project_id  TEXT NOT NULL REFERENCES projects (id),
  workload_id INTEGER NOT NULL REFERENCES workloads (id),
  target_id   INTEGER NOT NULL REFERENCES targets (id),
  variant     TEXT NOT NULL,
  job_id      TEXT NOT NULL,
  trial_id    INTEGER NOT NULL UNIQUE,
  attempt_id  INTEGER NOT NULL,
  trace       TEXT NOT NULL CHECK (json_valid(trace)),
  trace_hash  TEXT NOT NULL,
  ns          REAL NOT NULL CHECK (ns > 0),
  samples     TEXT NOT NULL CHECK (json_valid(samples)),
  conditions  TEXT CHECK (json_valid(conditions)),
  toolchain   TEXT CHECK (json_valid(toolchain)),
  provenance  TEXT CHECK (json_valid(provenance)),
  at          INTEGER NOT NULL
) STRICT;
CREATE INDEX records_best ON records (project_id, workload_id, target_id, ns, id);
CREATE INDEX records_job ON records (job_id, id);

CREATE TABLE champions (
  id            INTEGER PRIMARY KEY,
  project_id    TEXT NOT NULL REFERENCES projects (id),
  workload_id   INTEGER NOT NULL REFERENCES workloads (id),
  target_id     INTEGER NOT NULL REFERENCES targets (id),
  record_id     INTEGER NOT NULL REFERENCES records (id),
  race_attempt  INTEGER NOT NULL,
  ratio         REAL NOT NULL,
  ci_low        REAL NOT NULL,
  ci_high       REAL NOT NULL CHECK (ci_high < 1),
  toolchain     TEXT CHECK (json_valid(toolchain)),
  at            INTEGER NOT NULL,
  superseded_at INTEGER NOT NULL DEFAULT 0
) STRICT;
-- One current champion each.
CREATE UNIQUE INDEX champions_current ON champions (project_id, workload_id, target_id) WHERE superseded_at = 0;
CREATE INDEX champions_history ON champions (project_id, workload_id, target_id, id);

-- +goose Down
DROP TABLE champions;
DROP TABLE records;
