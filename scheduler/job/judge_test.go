package job

import (
	"testing"

	"hone/db/store"
	"hone/internal/wire"
)

// Every code of the table, for every kind and attempt: only candidates are
// charged, only for measuring; whatever is not a candidate's doing returns
// until the attempts are used up, which pauses of the service do not do.
func TestJudgeFollowsTheTable(t *testing.T) {
	for _, info := range wire.Codes {
		for _, kind := range []store.Kind{store.Measure, store.Race} {
			for _, item := range []wire.Kind{wire.KindBuild, wire.KindMeasure, wire.KindRace} {
				for attempt := 1; attempt <= wire.MaxAttempts; attempt++ {
					for _, have := range []bool{false, true} {
						check(t, info, store.Trial{Kind: kind, Attempt: attempt}, item, have)
					}
				}
			}
		}
	}
}

func check(t *testing.T, info wire.CodeInfo, tr store.Trial, item wire.Kind, have bool) {
	t.Helper()
	v := Judge(tr, item, info.Code, have)
	mayCharge := tr.Kind == store.Measure && (info.Code.Class() == "ok" || info.Code.Class() == "candidate")
	retried := info.Retry != wire.RetryNever && (tr.Attempt < wire.MaxAttempts || info.Pause)
	bad := ""
	switch {
	case v.Charged != (v.Move == store.MoveClose && mayCharge):
		bad = "charge"
	case retried && v.Move != store.MoveRequeue && v.Move != store.MoveRebuilt:
		bad = "it must return"
	case !retried && v.Move != store.MoveClose && v.Move != store.MoveBuilt:
		bad = "it must not return"
	case v.Move == store.MoveRebuilt && (!have || info.Retry == wire.RetryBuild):
		bad = "there is nothing to measure"
	case v.Move == store.MoveBuilt && (info.Code != wire.OK || item != wire.KindBuild):
		bad = "it was not built"
	case (v.Move == store.MoveClose) != (v.Code != ""):
		bad = "code"
	case v.Held != (v.Move == store.MoveClose && v.Code.Class() == "infra"):
		bad = "held"
	case info.Retry != wire.RetryNever && v.Move == store.MoveClose && v.Code != wire.InfraExhausted:
		bad = "exhausted"
	}
	if bad != "" {
		t.Errorf("%s: trial %s at attempt %d, item %s, artifact %v, code %s: %+v", bad, tr.Kind, tr.Attempt, item, have, info.Code, v)
	}
}

func TestUnknownCodesAreInfrastructure(t *testing.T) {
	if v := Judge(store.Trial{Kind: store.Measure, Attempt: 1}, wire.KindMeasure, "candidate.of_the_future", true); v.Move != store.MoveRebuilt || v.Charged {
		t.Fatalf("%+v", v)
	}
}

func TestPoisonNeedsTwoBootsAlone(t *testing.T) {
	tr := store.Trial{Kind: store.Measure, Attempt: 2}
	for _, c := range []struct {
		name   string
		deaths []Death
		poison bool
	}{
		{"once alone", []Death{{"b1", true}}, false},
		{"twice in company", []Death{{"b1", false}, {"b2", false}}, false},
		{"once each way", []Death{{"b1", false}, {"b2", true}}, false},
		{"the same boot reported twice", []Death{{"b1", true}, {"b1", true}}, false},
		{"no boot known", []Death{{"", true}, {"b1", true}}, false},
		{"two boots alone", []Death{{"b1", true}, {"b3", false}, {"b2", true}}, true},
	} {
		v := JudgeDeath(tr, c.deaths, true)
		if (v.Code == wire.CandidatePoison) != c.poison || v.Charged != c.poison || v.Solo == c.poison {
			t.Errorf("%s: %+v", c.name, v)
		}
	}
	tr.Attempt = wire.MaxAttempts
	if v := JudgeDeath(tr, []Death{{"b1", true}}, true); v.Code != wire.InfraExhausted || v.Charged {
		t.Errorf("last attempt: %+v", v)
	}
	tr.Kind = store.Race
	if v := JudgeDeath(tr, []Death{{"b1", true}, {"b2", true}}, true); v.Code != wire.CandidatePoison || v.Charged {
		t.Errorf("a race: %+v", v)
	}
}
