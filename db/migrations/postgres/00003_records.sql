-- +goose Up
-- What tuning found: immutable records, and the champions among them.

CREATE TABLE records (
  id          BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id  TEXT NOT NULL REFERENCES projects (id),
  workload_id BIGINT NOT NULL REFERENCES workloads (id),
  target_id   BIGINT NOT NULL REFERENCES targets (id),
  variant     TEXT NOT NULL,
  job_id      TEXT NOT NULL,
  trial_id    BIGINT NOT NULL UNIQUE,
  attempt_id  BIGINT NOT NULL,
  trace       JSON NOT NULL,
  trace_hash  TEXT NOT NULL,
  ns          DOUBLE PRECISION NOT NULL CHECK (ns > 0),
  samples     JSON NOT NULL,
  conditions  JSON,
  toolchain   JSON,
  provenance  JSON,
  at          BIGINT NOT NULL
);
CREATE INDEX records_best ON records (project_id, workload_id, target_id, ns, id);
CREATE INDEX records_job ON records (job_id, id);

CREATE TABLE champions (
  id            BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  project_id    TEXT NOT NULL REFERENCES projects (id),
  workload_id   BIGINT NOT NULL REFERENCES workloads (id),
  target_id     BIGINT NOT NULL REFERENCES targets (id),
  record_id     BIGINT NOT NULL REFERENCES records (id),
  race_attempt  BIGINT NOT NULL,
  ratio         DOUBLE PRECISION NOT NULL,
  ci_low        DOUBLE PRECISION NOT NULL,
  ci_high       DOUBLE PRECISION NOT NULL CHECK (ci_high < 1),
  toolchain     JSON,
  at            BIGINT NOT NULL,
  superseded_at BIGINT NOT NULL DEFAULT 0
);
-- One current champion each.
CREATE UNIQUE INDEX champions_current ON champions (project_id, workload_id, target_id) WHERE superseded_at = 0;
CREATE INDEX champions_history ON champions (project_id, workload_id, target_id, id);

-- +goose Down
DROP TABLE champions;
DROP TABLE records;
