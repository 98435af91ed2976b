package rpcrunner

import "hone/internal/wire"

// Describe is what the worker tells about its machine at this moment.
func (w *Worker) Describe() wire.Presence {
	w.mu.Lock()
	defer w.mu.Unlock()
	return wire.Presence{Boot: w.boot, BuildID: w.cfg.BuildID, Load1: load1(), TempC: temperature(), Lacks: w.lacks, Suspect: w.suspect}
}

// noteDevice keeps what the latest item showed of the device.
func (w *Worker) noteDevice(c *wire.Conditions) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lacks, w.suspect = c.SandboxLacks, c.Suspect
}
