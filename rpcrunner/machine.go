package rpcrunner

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// usableCPUs lists the processors this process may use, the best to measure on first: one
// thread of every core, from the highest number down (interrupts prefer the lowest), then
// the sibling threads.
func usableCPUs() []int {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return nil
	}
	var first, siblings []int
	seen := map[string]bool{}
	for cpu := 0; cpu < len(set)*64; cpu++ {
		if !set.IsSet(cpu) {
			continue
		}
		core := readLine("/sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/topology/thread_siblings_list")
		if core != "" && seen[core] {
			siblings = append(siblings, cpu)
			continue
		}
		seen[core] = true
		first = append(first, cpu)
	}
	slices.Reverse(first)
	slices.Reverse(siblings)
	return append(first, siblings...)
}

// lastLevelCache is the size of the largest cache of a processor in bytes; 32 MiB where
// the system does not tell.
func lastLevelCache(cpu int) int64 {
	best := int64(0)
	sizes, _ := filepath.Glob("/sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/cache/index*/size") // a bad pattern is the only error
	for _, p := range sizes {
		text := readLine(p)
		unit := int64(1)
		switch {
		case strings.HasSuffix(text, "K"):
			unit = 1 << 10
		case strings.HasSuffix(text, "M"):
			unit = 1 << 20
		}
		if n, err := strconv.ParseInt(strings.TrimRight(text, "KM"), 10, 64); err == nil {
			best = max(best, n*unit)
		}
	}
	if best == 0 {
		best = 32 << 20
	}
	return best
}

// bootID is one id per start of the machine; a board without one gets a constant, and its
// poison evidence counts as one boot.
func bootID() string {
	if s := readLine("/proc/sys/kernel/random/boot_id"); s != "" {
		return s
	}
	return "unknown-boot-" + runtime.GOARCH
}

// load1, temperature and clockMHz describe the moment; zero where unknown.
func load1() float64 {
	f := strings.Fields(readLine("/proc/loadavg"))
	if len(f) == 0 {
		return 0
	}
	v, err := strconv.ParseFloat(f[0], 64)
	if err != nil {
		return 0
	}
	return v
}

// temperature is the hottest thermal zone in degrees Celsius.
func temperature() float64 {
	best := 0.0
	zones, _ := filepath.Glob("/sys/class/thermal/thermal_zone*/temp") // a bad pattern is the only error
	for _, p := range zones {
		if v, err := strconv.ParseFloat(readLine(p), 64); err == nil {
			best = max(best, v/1000)
		}
	}
	return best
}

func clockMHz(cpu int) float64 {
	v, err := strconv.ParseFloat(readLine("/sys/devices/system/cpu/cpu"+strconv.Itoa(cpu)+"/cpufreq/scaling_cur_freq"), 64)
	if err != nil {
		return 0
	}
	return v / 1000
}

// readLine is the first line of a small file, empty when it cannot be read.
func readLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSpace(line)
}
