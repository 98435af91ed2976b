package tuner

import "hone/compiler/tir"

// Sample is a measured schedule.
type Sample struct {
	Task string        // the workload's hash: samples are compared within a task
	Func *tir.PrimFunc // the scheduled function
	NS   float64       // measured time, 0 when the candidate failed
}

// Predictor ranks schedules.
type Predictor interface {
	// Predict scores schedules of one task, higher is faster.
	Predict(task string, fs []*tir.PrimFunc) []float64
}

// Model learns predictors. Fit is a function of the samples and their order; it
// returns nil while there are too few. Before a session has any it asks once with
// none: a model that was kept from earlier jobs answers then, too.
type Model interface {
	Fit(samples []Sample) Predictor
}
