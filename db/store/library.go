package store

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"
)

// Workload is one tensor function in canonical form.
type Workload struct {
	Hash string // of the canonical text, platform independent
	Name string // operator and shapes, for people
	Text string // TVMScript
	// Structure is a hash that workloads share which differ in extents, or empty.
	Structure string
}

// Target is what a device is, in columns; Key is built from them by one
// versioned function elsewhere.
type Target struct {
	Key      string
	Version  int // of the function that built the key
	Kind     string
	ISA      string
	Features []string // sorted
	UArch    string
	Model    string // of the device
	Threads  int
	Spec     json.RawMessage // the full description, or null
}

// CostModel is a trained predictor.
type CostModel struct {
	Project  string
	Target   string // key
	Features int    // version of the feature schema
	Width    int    // number of features
	Text     string // LightGBM text
	Checksum string // SHA-256 of Text in hex
	Meta     json.RawMessage
	At       time.Time
}

// Sum returns the checksum of a model's text.
func Sum(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}
