//go:build race

package scheduler_test

// raceDetector makes simulations some eight times slower.
const raceDetector = true
