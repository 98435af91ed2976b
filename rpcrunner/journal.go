package rpcrunner

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"hone/internal/wire"
	"hone/rpcrunner/executor"
)

// journal says what the agent was doing if it dies: the item in a small file, and the
// running entry in the page shared with the executor. Evidence from two boots that died
// with a candidate running alone makes it poison; a mere redelivery never does.
type journal struct {
	path, page string
	left       *running // what a previous life left behind, until it is reported
}

// running is the journal's content.
type running struct {
	Work    string   `json:"work"`
	Job     string   `json:"job"`
	Attempt int      `json:"attempt"`
	Nonce   string   `json:"nonce"`
	Boot    string   `json:"boot"`
	Trials  []string `json:"trials"`

	Tag int `json:"tag"` // filled in from the page when a life ended
}

// load picks up what an earlier life left behind.
func (j *journal) load() error {
	b, err := os.ReadFile(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	var r running
	if json.Unmarshal(b, &r) != nil || !wire.ValidID(r.Work) || !wire.ValidNonce(r.Nonce) { // torn by a power cut: no evidence
		return j.end()
	}
	r.Tag = executor.LastTag(j.page)
	j.left = &r
	return nil
}

// begin journals an item before it may do harm. The file is synced: a board that loses
// power must find it.
func (j *journal) begin(item *wire.Work, boot string) error {
	r := running{Work: item.Work, Job: item.Job, Attempt: item.Attempt, Nonce: item.Nonce, Boot: boot}
	for _, e := range item.Entries {
		r.Trials = append(r.Trials, e.Trial)
	}
	b, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	f, err := os.OpenFile(j.path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(j.path+".new", j.path)
	}
	if err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// end forgets the item: it was answered.
func (j *journal) end() error {
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("journal: %w", err)
	}
	return nil
}

// DiedWith is the report about the item an earlier life of this agent died with, if any:
// all its entries have device.died, and the one that ran is named. Call Reported once the
// report is safe.
func (w *Worker) DiedWith() (report wire.Result, job string, ok bool) {
	l := w.journal.left
	if l == nil {
		return wire.Result{}, "", false
	}
	r := wire.Result{V: wire.Version, Work: l.Work, Attempt: l.Attempt, Nonce: l.Nonce, Agent: w.cfg.Agent, Device: w.cfg.Device,
		Boot: w.boot, BuildID: w.cfg.BuildID, Code: wire.DeviceDied, Detail: "the agent died while it ran this item"}
	r.DiedWith = &wire.DiedWith{Work: l.Work, Attempt: l.Attempt, Nonce: l.Nonce, Boot: l.Boot}
	if l.Tag >= 0 && l.Tag < len(l.Trials) {
		r.DiedWith.Trial = l.Trials[l.Tag]
		r.DiedWith.Alone = len(l.Trials) == 1
	}
	for _, t := range l.Trials {
		r.Entries = append(r.Entries, wire.EntryResult{Trial: t, Code: wire.DeviceDied})
	}
	return r, l.Job, true
}

// Reported forgets what an earlier life left behind.
func (w *Worker) Reported() error {
	w.journal.left = nil
	return w.journal.end()
}
