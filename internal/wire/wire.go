// Package wire defines what travels between the coordinator and the agents: the work
// item and its result (versioned JSON, unknown fields ignored), the subjects and message
// ids under which they travel, the table of outcome codes, and the closed set of operand
// generators from which both ends reproduce the same bytes.
//
// It imports the standard library only and knows nothing of the broker, the store or
// processes. Start from Work and Result; Codes is the table every outcome comes from.
package wire

import (
	"encoding/json"
	"fmt"
)

// Version is the message version written by this build; MinVersion is the oldest it
// still reads (coordinators serve N and N-1).
const (
	Version    = 1
	MinVersion = 1
)

// Protocol numbers the measurement procedure (ladder, statistics, operand placement).
// Times of different protocols are never compared.
const Protocol = 3

// Sizes that bound a message.
const (
	MaxEntries     = 16        // trials of one work item
	MaxInline      = 32 << 10  // compressed source carried inside the item
	MaxWorkBytes   = 256 << 10 // an encoded work item
	MaxResultBytes = 512 << 10 // an encoded result
	MaxDetail      = 2 << 10   // free text of one result entry
)

// VersionError says that a message was written by a build this one cannot serve.
type VersionError struct {
	Message string // "work" or "result"
	Got     int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("%s message has version %d; this build reads %d to %d", e.Message, e.Got, MinVersion, Version)
}

func checkVersion(message string, v int) error {
	if v < MinVersion || v > Version {
		return &VersionError{Message: message, Got: v}
	}
	return nil
}

// EncodeWork validates w and renders it; V is filled in.
func EncodeWork(w Work) ([]byte, error) {
	w.V = Version
	if err := w.Validate(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("encode work %s: %w", w.Work, err)
	}
	if len(b) > MaxWorkBytes {
		return nil, fmt.Errorf("work %s is %d bytes, more than %d: send its source as a blob or split it", w.Work, len(b), MaxWorkBytes)
	}
	return b, nil
}

// DecodeWork parses and validates a work item. A *VersionError means the sender's build
// is too new or too old.
func DecodeWork(b []byte) (Work, error) {
	var w Work
	if len(b) > MaxWorkBytes {
		return w, fmt.Errorf("work message of %d bytes exceeds %d", len(b), MaxWorkBytes)
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return w, fmt.Errorf("work message: %w", err)
	}
	return w, w.Validate()
}

// EncodeResult renders r; V is filled in, long texts are cut and non-finite numbers,
// which JSON cannot carry, are clamped.
func EncodeResult(r Result) ([]byte, error) {
	r.V = Version
	r.sanitize()
	if err := r.Validate(); err != nil {
		return nil, err
	}
	b, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("encode result of %s: %w", r.Work, err)
	}
	if len(b) > MaxResultBytes {
		return nil, fmt.Errorf("result of %s is %d bytes, more than %d", r.Work, len(b), MaxResultBytes)
	}
	return b, nil
}

// DecodeResult parses and validates a result.
func DecodeResult(b []byte) (Result, error) {
	var r Result
	if len(b) > MaxResultBytes {
		return r, fmt.Errorf("result message of %d bytes exceeds %d", len(b), MaxResultBytes)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return r, fmt.Errorf("result message: %w", err)
	}
	return r, r.Validate()
}
