package rule

import (
	"hone/compiler/dlight"
	"hone/compiler/schedule"
	"hone/compiler/target"
)

type registerTile struct{ levels []dlight.Level }

// RegisterTile tiles reductions for vector registers. It returns one sketch per
// level at which the epilogue may be computed; without an epilogue the levels
// are one.
func RegisterTile(levels ...dlight.Level) Rule { return registerTile{levels} }

func (registerTile) Name() string { return "register_tile" }

func (r registerTile) Apply(s *schedule.Schedule, b schedule.BlockRV, ctx *Context) ([]*schedule.Schedule, error) {
	var out []*schedule.Schedule
	for _, level := range r.levels {
		m := dlight.Move{Name: "tile", Apply: func(c *schedule.Schedule, b schedule.BlockRV, t *target.Target, mode dlight.Mode) (bool, error) {
			return dlight.TileBlockAt(c, b, level, t, mode)
		}}
		c, ok, err := dlight.Try(s, b, m, ctx.Target, dlight.Sampled)
		if err != nil {
			return nil, err
		}
		if !ok {
			break
		}
		out = append(out, c)
		if !dlight.HasEpilogue(s, b) {
			break
		}
	}
	if len(out) == 0 {
		return only(s)
	}
	return out, nil
}
