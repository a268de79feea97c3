package metric

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// The names below are those that the client libraries of Prometheus use for
// programs in Go, so that common dashboards find them.

func runtimeFamilies() []family {
	of := func(name string, k kind, help, source string) family {
		return plain(name, k, help, func(*Figures) uint64 {
			sample := []metrics.Sample{{Name: source}}
			metrics.Read(sample)
			return sample[0].Value.Uint64()
		})
	}
	return []family{
		of("go_goroutines", gauge, "Goroutines.", "/sched/goroutines:goroutines"),
		of("go_gc_cycles_total", counter, "Collections of garbage.", "/gc/cycles/total:gc-cycles"),
		of("go_memstats_alloc_bytes", gauge, "Memory of objects on the heap.", "/memory/classes/heap/objects:bytes"),
		of("go_memstats_alloc_bytes_total", counter, "Memory of all objects that were made.", "/gc/heap/allocs:bytes"),
		of("go_memstats_sys_bytes", gauge, "Memory that Go has from the system.", "/memory/classes/total:bytes"),
	}
}

// ticks is the unit of times in /proc (USER_HZ), the same on every Linux that
// Go runs on.
const ticks = 100

// processFamilies are read from /proc; elsewhere they are absent.
func processFamilies() []family {
	return []family{
		ofProcess("process_cpu_seconds_total", counter, "Processor time.", func() (float64, bool) {
			user, ok := stat(14)
			system, _ := stat(15)
			return (user + system) / ticks, ok
		}),
		ofProcess("process_resident_memory_bytes", gauge, "Resident memory.", func() (float64, bool) {
			pages, ok := stat(24)
			return pages * float64(os.Getpagesize()), ok
		}),
		ofProcess("process_virtual_memory_bytes", gauge, "Virtual memory.", func() (float64, bool) { return stat(23) }),
		ofProcess("process_open_fds", gauge, "Open files and connections.", func() (float64, bool) {
			open, err := os.ReadDir("/proc/self/fd")
			return float64(len(open) - 1), err == nil // without the one that lists them
		}),
		ofProcess("process_max_fds", gauge, "Files and connections that may be open.", func() (float64, bool) {
			return word("/proc/self/limits", "Max open files", 0)
		}),
		ofProcess("process_start_time_seconds", gauge, "When the process was started, in seconds since 1970.", func() (float64, bool) {
			boot, ok := word("/proc/stat", "btime", 0)
			started, known := stat(22)
			return boot + started/ticks, ok && known
		}),
	}
}

func ofProcess(name string, k kind, help string, read func() (float64, bool)) family {
	return family{name, k, nil, help + " Linux only.", func(_ *Figures, e *emitter) {
		if v, ok := read(); ok {
			e.value(v)
		}
	}}
}

// stat returns a field of /proc/self/stat by its number in proc(5).
func stat(field int) (float64, bool) {
	text, err := os.ReadFile("/proc/self/stat")
	_, rest, ok := strings.Cut(string(text), ") ") // the name before may hold anything
	if err != nil || !ok {
		return 0, false
	}
	return at(rest, field-3)
}

// word returns a word of the line that begins with the given text.
func word(path, line string, n int) (float64, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0, false
	}
	for l := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(l, line+" "); ok {
			return at(rest, n)
		}
	}
	return 0, false
}

func at(text string, n int) (float64, bool) {
	words := strings.Fields(text)
	if n >= len(words) {
		return 0, false
	}
	v, err := strconv.ParseFloat(words[n], 64)
	return v, err == nil
}
