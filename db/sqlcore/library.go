package sqlcore

import (
	"context"
	"fmt"
	"time"

	"hone/db/store"
)

// PutProject implements store.Library.
func (s *Store) PutProject(ctx context.Context, id, name string) error {
	return s.write(ctx, "project "+id, func(t *tx) error {
		_, err := t.exec(`INSERT INTO projects (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`, id, name, t.now)
		return err
	})
}

// Setting implements store.Library.
func (s *Store) Setting(ctx context.Context, name, first string) (value string, err error) {
	err = s.write(ctx, "setting "+name, func(t *tx) error {
		if _, err := t.exec(`INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING`, name, first); err != nil {
			return err
		}
		return t.row(`SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	})
	return value, err
}

// PutWorkloads implements store.Library.
func (s *Store) PutWorkloads(ctx context.Context, ws ...store.Workload) error {
	return s.write(ctx, "workloads", func(t *tx) error { return t.putWorkloads(ws) })
}

func (t *tx) putWorkloads(ws []store.Workload) error {
	for _, w := range ws {
		if _, err := t.exec(`INSERT INTO workloads (hash, name, text, structure, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (hash) DO UPDATE SET structure = excluded.structure WHERE workloads.structure = ''`, w.Hash, w.Name, w.Text, w.Structure, t.now); err != nil {
			return err
		}
	}
	return nil
}

// Workload implements store.Library.
func (s *Store) Workload(ctx context.Context, hash string) (store.Workload, error) {
	return one(s, ctx, "workload "+hash, func(r scanner) (w store.Workload, err error) {
		err = r.Scan(&w.Hash, &w.Name, &w.Text, &w.Structure)
		return w, err
	}, `SELECT hash, name, text, structure FROM workloads WHERE hash = $1`, hash)
}

// PutTargets implements store.Library.
func (s *Store) PutTargets(ctx context.Context, ts ...store.Target) error {
	return s.write(ctx, "targets", func(t *tx) error { return t.putTargets(ts) })
}

func (t *tx) putTargets(ts []store.Target) error {
	for _, g := range ts {
		if g.Key == "" || g.Kind == "" || g.ISA == "" {
			return fmt.Errorf("%w: target %q without key, kind or instruction set", store.ErrInvalid, g.Key)
		}
		features := g.Features
		if features == nil {
			features = []string{}
		}
		_, err := t.exec(`INSERT INTO targets (key, key_version, kind, isa, features, uarch, model, threads, spec, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT DO NOTHING`,
			g.Key, g.Version, g.Kind, g.ISA, jsonText(features), g.UArch, g.Model, g.Threads, jsonArg(g.Spec), t.now)
		if err != nil {
			return err
		}
	}
	return nil
}

// Targets implements store.Library.
func (s *Store) Targets(ctx context.Context) ([]store.Target, error) {
	return list(s, ctx, "targets", func(r scanner) (g store.Target, err error) {
		err = r.Scan(&g.Key, &g.Version, &g.Kind, &g.ISA, listCol[string]{&g.Features}, &g.UArch, &g.Model, &g.Threads, jsonCol{&g.Spec})
		return g, err
	}, `SELECT key, key_version, kind, isa, features, uarch, model, threads, spec FROM targets ORDER BY key`)
}

// PutCostModel implements store.Library.
func (s *Store) PutCostModel(ctx context.Context, m store.CostModel) error {
	if m.Checksum != store.Sum(m.Text) {
		return fmt.Errorf("cost model for %s: %w: the checksum is not that of the text", m.Target, store.ErrInvalid)
	}
	return s.write(ctx, "cost model", func(t *tx) error {
		_, err := t.exec(`INSERT INTO cost_models (project_id, target, features, width, text, checksum, meta, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
			m.Project, m.Target, m.Features, m.Width, m.Text, m.Checksum, jsonArg(m.Meta), t.now)
		return err
	})
}

// CostModel implements store.Library.
func (s *Store) CostModel(ctx context.Context, project, target string, features int, before time.Time) (store.CostModel, error) {
	what := fmt.Sprintf("cost model for %s, features version %d", target, features)
	m, err := one(s, ctx, what, func(r scanner) (m store.CostModel, err error) {
		err = r.Scan(&m.Project, &m.Target, &m.Features, &m.Width, &m.Text, &m.Checksum, jsonCol{&m.Meta}, timeCol{&m.At})
		return m, err
	}, `SELECT project_id, target, features, width, text, checksum, meta, created_at FROM cost_models
		WHERE project_id = $1 AND target = $2 AND features = $3 AND created_at < $4 ORDER BY id DESC LIMIT 1`, project, target, features, before.UnixMicro())
	if err == nil && m.Checksum != store.Sum(m.Text) {
		return store.CostModel{}, fmt.Errorf("%s: %w", what, store.ErrCorrupt)
	}
	return m, err
}
