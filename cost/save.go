package cost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"hone/cost/gbdt"
)

// headerFormat is the first section of a stored model.
const headerFormat = "hone-cost-model v1\nschema %s\nsamples %d\n"

// ErrSchema says that a stored model was made for other columns. It is not
// damaged, only useless here: start without it.
var ErrSchema = errors.New("the stored cost model is of another feature schema")

// ErrNotReady says that there is no model to save yet.
var ErrNotReady = errors.New("cost: the model is not trained")

// Save writes the model in use: three sections, each sealed with a checksum line;
// the header and two models in LightGBM's text format, the second empty if there
// is no validity model.
func (m *Model) Save(w io.Writer) error {
	f := m.ready.Load()
	if f == nil {
		return ErrNotReady
	}
	out := gbdt.Seal(fmt.Appendf(nil, headerFormat, m.opts.Schema, f.samples))
	for _, part := range []*gbdt.Model{f.score, f.validity} {
		var text bytes.Buffer
		if part != nil {
			if err := part.WriteText(&text); err != nil {
				return err
			}
		}
		out = append(out, gbdt.Seal(text.Bytes())...)
	}
	_, err := w.Write(out)
	return err
}

// Load makes a stored model the one in use and the start of further training. On
// any error (ErrSchema, a wrong checksum, other columns) nothing changes: drop
// the stored model, not the job.
func (m *Model) Load(data []byte) error {
	f, err := m.read(data)
	if err != nil {
		return fmt.Errorf("cost: loading a model: %w", err)
	}
	if err := f.prepare(); err != nil {
		return fmt.Errorf("cost: loading a model: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.prior = f
	m.trained = 0
	m.ready.Store(f)
	m.describe()
	return nil
}

func (m *Model) read(data []byte) (*fitted, error) {
	header, data, err := gbdt.Unseal(data)
	if err != nil {
		return nil, err
	}
	var schema string
	f := &fitted{}
	if _, err := fmt.Sscanf(string(header), headerFormat, &schema, &f.samples); err != nil {
		return nil, fmt.Errorf("bad header: %w", err)
	}
	if schema != m.opts.Schema {
		return nil, fmt.Errorf("%w: %s, not %s", ErrSchema, schema, m.opts.Schema)
	}
	for i, part := range []**gbdt.Model{&f.score, &f.validity} {
		var text []byte
		if text, data, err = gbdt.Unseal(data); err != nil {
			return nil, err
		}
		if len(text) == 0 && i > 0 {
			continue
		}
		if *part, err = gbdt.ReadText(bytes.NewReader(text)); err != nil {
			return nil, err
		}
		if !slices.Equal((*part).Names, m.opts.Names) {
			return nil, fmt.Errorf("%w: other columns under the same name", ErrSchema)
		}
	}
	if len(data) > 0 {
		return nil, fmt.Errorf("%d bytes after the model", len(data))
	}
	return f, nil
}
