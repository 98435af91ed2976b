package schedule

var kindEnterPostproc = define(Kind{
	Name: "EnterPostproc", Doc: "marks where postprocessing starts; it changes nothing",
	Params:  "",
	Refuses: []Condition{PostprocTwice},
})

func init() {
	kindEnterPostproc.Apply = func(s *Schedule, _ Call) error { return s.EnterPostproc() }
}

// EnterPostproc marks in the record where postprocessing starts, at most once.
func (s *Schedule) EnterPostproc() error {
	if s.postproc {
		return refuse(PostprocTwice, "", "postprocessing has started already").by("enter_postproc")
	}
	s.postproc = true
	s.record(kindEnterPostproc, nil, nil, nil, nil)
	return nil
}

// EnterPostprocKind is the kind that divides a trace; replay may stop there.
func EnterPostprocKind() *Kind { return kindEnterPostproc }
