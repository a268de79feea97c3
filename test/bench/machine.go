package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/cpu"
)

// machine describes the product and the machine, as a list.
func (b *bench) machine() string {
	var out strings.Builder
	line := func(name, value string) { fmt.Fprintf(&out, "- %s: %s\n", name, value) }
	line("Machine", fmt.Sprintf("%d cores, %s with %s, %s of memory, Linux %s", runtime.NumCPU(),
		field("/proc/cpuinfo", "model name"), vectors(), gibibytes(field("/proc/meminfo", "MemTotal")), read("/proc/sys/kernel/osrelease")))
	info, err := buildinfo.ReadFile(b.binary)
	if err != nil {
		line("Product", err.Error())
		return strings.TrimSuffix(out.String(), "\n")
	}
	revision, changed := "unknown", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = " with changes"
		}
	}
	line("Product", fmt.Sprintf("revision %s%s, %s, GOMAXPROCS %d", revision, changed, info.GoVersion, runtime.GOMAXPROCS(0)))
	var libraries []string
	for _, d := range info.Deps {
		switch d.Path {
		case "github.com/ncruces/go-sqlite3", "github.com/jackc/pgx/v5", "golang.org/x/crypto":
			libraries = append(libraries, d.Path+" "+d.Version)
		}
	}
	line("Libraries", strings.Join(libraries, ", "))
	return strings.TrimSuffix(out.String(), "\n")
}

// vectors names the widest vectors of the processor that the password hash
// uses.
func vectors() string {
	switch {
	case cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW:
		return "AVX-512"
	case cpu.X86.HasAVX2:
		return "AVX2"
	}
	return "no vectors for hashing"
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return strings.TrimSpace(string(text))
}

// field returns the value of the first line "name : value" of a file in /proc.
func field(path, name string) string {
	for line := range strings.Lines(read(path)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

func gibibytes(kib string) string {
	n, err := strconv.ParseFloat(strings.TrimSuffix(kib, " kB"), 64)
	if err != nil {
		return kib
	}
	return fmt.Sprintf("%.0f GiB", n/(1<<20))
}

// watch holds the usage of the machine at a moment.
type watch struct {
	began     time.Time
	all, ours time.Duration
}

func watchOthers() watch {
	w := watch{began: time.Now()}
	w.all, w.ours = busy()
	return w
}

// share returns the part of the machine that other programs have used since
// then. The children of this program count as its own once they have ended. The
// time that a hypervisor took away counts as used by others.
func (w watch) share() float64 {
	all, ours := busy()
	others := (all - w.all) - (ours - w.ours)
	return max(0, others.Seconds()) / time.Since(w.began).Seconds() / float64(runtime.NumCPU())
}

// busy returns the processor time of all processes, and of this one with its
// children.
func busy() (all, ours time.Duration) {
	fields := strings.Fields(strings.TrimPrefix(firstLine(read("/proc/stat")), "cpu"))
	for i, text := range fields {
		const idle, waiting, guest = 3, 4, 8 // the other fields include guest time
		if n, err := strconv.ParseInt(text, 10, 64); err == nil && i != idle && i != waiting && i < guest {
			all += time.Duration(n) * tick
		}
	}
	own, children, err := cpuTimes("self")
	if err != nil {
		return 0, 0
	}
	return all, own + children
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
