// Package cost predicts which of many candidate schedules run fast.
//
// A Model learns from measured candidates, described by the rows of cost/feature
// and grouped by workload: within a workload the fastest has label 1, another one
// its share of that speed. Gradient-boosted trees (cost/gbdt) are fitted to a
// blend of the order within each workload and the label itself; the score of a
// candidate is the sum over its rows. Candidates that failed to build or run teach
// a second model how likely a candidate is to work at all.
//
// The model is a function of the results in the order they were given and of a
// seed: it reads no clock and draws nothing global. It never fails a job: a stored
// model that does not fit is reported and left out.
//
// The package must not import tuner or scheduler; the tuner declares the
// interface it wants and Model satisfies it. Start from Model.
package cost
