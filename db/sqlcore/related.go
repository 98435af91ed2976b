package sqlcore

import (
	"context"

	"hone/db/store"
)

// relatedSQL finds the fastest records of workloads that share a structure: $1
// project, $2 workload, $3 target, $4 time, $5 records a workload, $6 workloads.
const relatedSQL = `WITH
kin AS (SELECT other.id FROM workloads w JOIN workloads other ON other.structure = w.structure
	WHERE w.hash = $2 AND w.structure <> '' AND other.id <> w.id),
ranked AS (SELECT r.id, r.workload_id, row_number() OVER (PARTITION BY r.workload_id ORDER BY r.ns, r.id) AS place,
		max(r.id) OVER (PARTITION BY r.workload_id) AS newest
	FROM records r JOIN kin ON kin.id = r.workload_id JOIN targets tg ON tg.id = r.target_id
	WHERE r.project_id = $1 AND tg.key = $3 AND r.at < $4),
chosen AS (SELECT ranked.*, dense_rank() OVER (ORDER BY newest DESC) AS turn FROM ranked)
SELECT ` + recordCols + recordFrom + `JOIN chosen ON chosen.id = r.id
WHERE chosen.place <= $5 AND chosen.turn <= $6 ORDER BY chosen.turn, chosen.place`

// Related implements store.Records.
func (s *Store) Related(ctx context.Context, q store.RelatedQuery) ([]store.Record, error) {
	return list(s, ctx, "records of related workloads", scanRecord, relatedSQL, q.Project, q.Workload, q.Target, q.Before.UnixMicro(), q.Each, q.Limit)
}
