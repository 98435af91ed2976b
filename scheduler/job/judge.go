package job

import (
	"hone/db/store"
	"hone/internal/wire"
)

// Verdict is what an outcome does to its trial.
type Verdict struct {
	Move    store.Move
	Code    wire.Code // with which it closes, for MoveClose
	Charged bool
	Solo    bool
	// Held: it closes only a trial that is still out with the item judged,
	// because the verdict says nothing about the candidate.
	Held bool
}

// Judge decides on a trial that was out with an item of a kind and came back
// with code; haveArtifact says that there is something to measure without
// building it again.
//
//   - ok: a build makes it built; a measurement or a race closes it.
//   - candidate.*: it closes, and measure trials are charged.
//   - device.* and infra.*: it goes back, with its next attempt, to what the
//     table of codes says; after the last attempt it closes uncharged.
func Judge(t store.Trial, kind wire.Kind, code wire.Code, haveArtifact bool) Verdict {
	info := code.Info()
	switch {
	case code == wire.OK && kind == wire.KindBuild:
		return Verdict{Move: store.MoveBuilt}
	case info.Retry == wire.RetryNever:
		return Verdict{Move: store.MoveClose, Code: code, Charged: info.Charged && t.Kind == store.Measure, Held: code.Class() != "ok" && code.Class() != "candidate"}
	case t.Attempt >= wire.MaxAttempts && !info.Pause:
		return Verdict{Move: store.MoveClose, Code: wire.InfraExhausted, Held: true}
	case info.Retry == wire.RetryMeasure && haveArtifact:
		return Verdict{Move: store.MoveRebuilt}
	}
	return Verdict{Move: store.MoveRequeue}
}

// Death is evidence that an agent died while a trial ran.
type Death struct {
	Boot  string // the life that ended
	Alone bool   // nothing else of the batch had run in that executor
}

// JudgeDeath decides on the trial that ran when an agent died, given every
// such death, the newest included. Two boots that died with it running alone
// convict it; until then it goes back, to travel alone.
func JudgeDeath(t store.Trial, deaths []Death, haveArtifact bool) Verdict {
	boots := map[string]bool{}
	for _, d := range deaths {
		if d.Alone && d.Boot != "" {
			boots[d.Boot] = true
		}
	}
	if len(boots) >= 2 {
		return Verdict{Move: store.MoveClose, Code: wire.CandidatePoison, Charged: t.Kind == store.Measure}
	}
	v := Judge(t, wire.KindMeasure, wire.DeviceDied, haveArtifact)
	v.Solo = true
	return v
}
