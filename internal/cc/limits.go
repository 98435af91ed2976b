package cc

import "time"

// Limits bound one compiler or linker process and its children. A zero field
// takes the value of DefaultLimits.
type Limits struct {
	Wall   time.Duration // from start to exit
	CPU    time.Duration // of each process, rounded up to seconds
	Memory int64         // address space of each process, bytes
	Output int64         // size of any file written, bytes
	Nice   int           // how far everything else on the machine comes first, up to 19
}

// DefaultLimits suit one batch of kernels.
var DefaultLimits = Limits{Wall: 60 * time.Second, CPU: 60 * time.Second, Memory: 4 << 30, Output: 512 << 20}

func (l Limits) withDefaults() Limits {
	if l.Wall <= 0 {
		l.Wall = DefaultLimits.Wall
	}
	if l.CPU <= 0 {
		l.CPU = DefaultLimits.CPU
	}
	if l.Memory <= 0 {
		l.Memory = DefaultLimits.Memory
	}
	if l.Output <= 0 {
		l.Output = DefaultLimits.Output
	}
	return l
}
