package bus

import (
	"encoding/json"
	"fmt"

	"hone/internal/wire"
)

// command tells all agents something. It may be lost: nothing depends on it
// but speed.
func (b *Bus) command(cmd, job string) error {
	body, err := json.Marshal(wire.Control{V: wire.Version, Cmd: cmd, Job: job})
	if err != nil {
		return fmt.Errorf("broker: command %s: %w", cmd, err)
	}
	if err := b.nc.Publish("ctl.all", body); err != nil {
		return fmt.Errorf("broker: command %s: %w", cmd, err)
	}
	return nil
}
