package sqlcore

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// jsonArg passes raw JSON, or NULL for none.
func jsonArg(m json.RawMessage) any {
	if len(m) == 0 {
		return nil
	}
	return string(m)
}

// jsonOr passes raw JSON, or def for none.
func jsonOr(m json.RawMessage, def string) string {
	if len(m) == 0 {
		return def
	}
	return string(m)
}

// jsonCol scans a nullable JSON column.
type jsonCol struct{ p *json.RawMessage }

func (c jsonCol) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*c.p = nil
	case string:
		*c.p = json.RawMessage(v)
	case []byte:
		*c.p = append(json.RawMessage(nil), v...)
	default:
		return fmt.Errorf("a JSON column holds a %T", src)
	}
	return nil
}

// listCol scans a JSON column that holds an array.
type listCol[T any] struct{ p *[]T }

func (c listCol[T]) Scan(src any) error {
	var raw json.RawMessage
	if err := (jsonCol{&raw}).Scan(src); err != nil {
		return err
	}
	*c.p = nil
	if len(raw) == 0 {
		return nil
	}
	return json.Unmarshal(raw, c.p)
}

// samplesArg passes numbers as a JSON array; what JSON cannot hold is left out.
func samplesArg(xs []float64) string {
	kept := make([]float64, 0, len(xs))
	for _, x := range xs {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			kept = append(kept, x)
		}
	}
	return jsonText(kept)
}

// realArg keeps NaN, which SQLite would store as NULL, as the infinite error
// it stands for.
func realArg(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// timeCol scans microseconds; 0 is the zero time.
type timeCol struct{ p *time.Time }

func (c timeCol) Scan(src any) error {
	us, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a time column holds a %T", src)
	}
	*c.p = time.Time{}
	if us != 0 {
		*c.p = time.UnixMicro(us).UTC()
	}
	return nil
}

// spanCol scans a duration in microseconds.
type spanCol struct{ p *time.Duration }

func (c spanCol) Scan(src any) error {
	us, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a duration column holds a %T", src)
	}
	*c.p = time.Duration(us) * time.Microsecond
	return nil
}

// seedCol scans 64 bits without a sign.
type seedCol struct{ p *uint64 }

func (c seedCol) Scan(src any) error {
	v, ok := src.(int64)
	if !ok {
		return fmt.Errorf("a seed column holds a %T", src)
	}
	*c.p = uint64(v)
	return nil
}
