-- +goose Up
-- Workloads that differ in extents share a structure: their records may help one
-- another.

ALTER TABLE workloads ADD COLUMN structure TEXT NOT NULL DEFAULT '';
CREATE INDEX workloads_structure ON workloads (structure);

-- +goose Down
DROP INDEX workloads_structure;
ALTER TABLE workloads DROP COLUMN structure;
