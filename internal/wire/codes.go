package wire

import "strings"

// Code is the outcome of a trial or an item. The prefix names who is to blame:
// candidate (the trial itself), device (the board), infra (everything in between).
type Code string

// Retry says where a trial goes after a code.
type Retry string

// The retry rules. An item that failed as a whole, or was redelivered, is split by the
// coordinator whatever the rule.
const (
	RetryNever   Retry = "never"   // the trial is closed
	RetryMeasure Retry = "measure" // back to built, attempt + 1
	RetryBuild   Retry = "build"   // back to queued, attempt + 1: the artifact is gone or suspect
)

// The codes.
const (
	OK Code = "ok"

	CandidateCompile        Code = "candidate.compile"
	CandidateCompileTimeout Code = "candidate.compile_timeout"
	CandidateCompileMemory  Code = "candidate.compile_memory"
	CandidateImage          Code = "candidate.image"
	CandidateCrash          Code = "candidate.crash"
	CandidateBounds         Code = "candidate.bounds"
	CandidateTimeout        Code = "candidate.timeout"
	CandidateMemory         Code = "candidate.memory"
	CandidateMismatch       Code = "candidate.mismatch"
	CandidateRefused        Code = "candidate.refused"
	CandidatePoison         Code = "candidate.poison"

	DeviceBusy     Code = "device.busy"
	DeviceUnstable Code = "device.unstable"
	DeviceMemory   Code = "device.memory"
	DeviceExecutor Code = "device.executor"
	DeviceDied     Code = "device.died"
	DeviceTarget   Code = "device.target"

	InfraArtifact  Code = "infra.artifact"
	InfraSource    Code = "infra.source"
	InfraReference Code = "infra.reference"
	InfraToolchain Code = "infra.toolchain"
	InfraDisk      Code = "infra.disk"
	InfraMessage   Code = "infra.message"
	InfraDeadline  Code = "infra.deadline"
	InfraCancelled Code = "infra.cancelled"
	InfraRestart   Code = "infra.restart"
	InfraDraining  Code = "infra.draining"
	InfraLost      Code = "infra.lost"
	InfraExhausted Code = "infra.exhausted"
)

// CodeInfo is one row of the code table.
type CodeInfo struct {
	Code    Code
	Retry   Retry
	Charged bool   // counts against the job's budget of trials
	Metric  string // counter that counts it
	Text    string // one line for people
	Pause   bool   // the service stopped meanwhile: no sign that another attempt would end the same way
}

// Codes is the table of every outcome, in the order of the ladder. It is the only place
// that says whether a code may be retried and whether it is charged.
var Codes = []CodeInfo{
	{OK, RetryNever, true, "hone_trials_ok_total", "measured and correct", false},

	{CandidateCompile, RetryNever, true, "hone_trials_compile_total", "the compiler refused the candidate", false},
	{CandidateCompileTimeout, RetryNever, true, "hone_trials_compile_timeout_total", "compiling the candidate alone exceeded its time limit", false},
	{CandidateCompileMemory, RetryNever, true, "hone_trials_compile_memory_total", "compiling the candidate alone exceeded its memory or output limit", false},
	{CandidateImage, RetryNever, true, "hone_trials_image_total", "the image cannot be mapped: undefined symbols or a missing entry", false},
	{CandidateCrash, RetryNever, true, "hone_trials_crash_total", "the kernel died of a signal, confirmed alone in a fresh executor", false},
	{CandidateBounds, RetryNever, true, "hone_trials_bounds_total", "the kernel accessed memory outside its operands", false},
	{CandidateTimeout, RetryNever, true, "hone_trials_timeout_total", "one call exceeded the run limit, confirmed alone in a fresh executor", false},
	{CandidateMemory, RetryNever, true, "hone_trials_memory_total", "the kernel asked for more memory than its limit", false},
	{CandidateMismatch, RetryNever, true, "hone_trials_mismatch_total", "the outputs differ from the reference", false},
	{CandidateRefused, RetryNever, true, "hone_trials_refused_total", "the kernel returned an error instead of a result", false},
	{CandidatePoison, RetryNever, true, "hone_trials_poison_total", "two boots died while the candidate ran alone", false},

	{DeviceBusy, RetryMeasure, false, "hone_device_busy_total", "the machine could not be made quiet in time", false},
	{DeviceUnstable, RetryMeasure, false, "hone_device_unstable_total", "the reference kernel drifted beyond its bound twice", false},
	{DeviceMemory, RetryMeasure, false, "hone_device_memory_total", "the operands do not fit the device", false},
	{DeviceExecutor, RetryMeasure, false, "hone_device_executor_total", "no executor could be started on the device", false},
	{DeviceDied, RetryMeasure, false, "hone_device_died_total", "the agent or its machine died while the item ran", false},
	{DeviceTarget, RetryMeasure, false, "hone_device_target_total", "the device cannot run code of this target", false},

	{InfraArtifact, RetryBuild, false, "hone_infra_artifact_total", "the artifact is missing or does not match its digest: build it again", false},
	{InfraSource, RetryBuild, false, "hone_infra_source_total", "the source is missing or does not match its digest", false},
	{InfraReference, RetryMeasure, false, "hone_infra_reference_total", "the reference or the incumbent could not be built or run", false},
	{InfraToolchain, RetryBuild, false, "hone_infra_toolchain_total", "the agent lacks the compiler or its version", false},
	{InfraDisk, RetryBuild, false, "hone_infra_disk_total", "the agent's scratch or cache cannot be written", false},
	{InfraMessage, RetryMeasure, false, "hone_infra_message_total", "the work item is malformed or of an unsupported version", false},
	{InfraDeadline, RetryMeasure, false, "hone_infra_deadline_total", "the item's deadline passed before this entry ran", false},
	{InfraCancelled, RetryNever, false, "hone_infra_cancelled_total", "the job was cancelled", false},
	{InfraDraining, RetryMeasure, false, "hone_infra_draining_total", "the agent stopped before this entry ran", true},
	{InfraRestart, RetryMeasure, false, "hone_infra_restart_total", "the broker was started anew while the item was out", true},
	{InfraLost, RetryMeasure, false, "hone_infra_lost_total", "no answer came before the item's deadline", false},
	{InfraExhausted, RetryNever, false, "hone_infra_exhausted_total", "five attempts ended in device or infrastructure codes", false},
}

// MaxAttempts is how often a trial is tried before it is closed as InfraExhausted.
const MaxAttempts = 5

var codeIndex = func() map[Code]*CodeInfo {
	m := make(map[Code]*CodeInfo, len(Codes))
	for i := range Codes {
		m[Codes[i].Code] = &Codes[i]
	}
	return m
}()

// Known reports whether c is in the table.
func (c Code) Known() bool { return codeIndex[c] != nil }

// Info returns c's row. A code this build does not know behaves as a lost item: not
// charged, tried again.
func (c Code) Info() CodeInfo {
	if i := codeIndex[c]; i != nil {
		return *i
	}
	return CodeInfo{Code: c, Retry: RetryMeasure, Metric: "hone_infra_unknown_total", Text: "a code this build does not know: " + string(c)}
}

// Class is "ok", "candidate", "device" or "infra".
func (c Code) Class() string {
	class, _, _ := strings.Cut(string(c), ".")
	return class
}
