package faults

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ncruces/go-sqlite3"

	"portico/internal/cli"
	"portico/internal/testform"
)

// full reports whether the suite takes all rounds, samples and figures.
func full() bool { return testform.Full() }

// rounds returns the number of rounds or samples of a test.
func rounds(quick, all int) int {
	if full() {
		return all
	}
	return quick
}

// measures makes a test parallel in the short form. In the full form it judges
// figures, so it runs alone.
func measures(t *testing.T) {
	if !full() {
		t.Parallel()
	}
}

// killAt names the environment variable that makes this test binary a Portico
// that kills itself at an SQL statement. The value is the number of the event.
// With 0 it only counts.
const killAt = "FAULTS_KILL_AT"

// killFromStart names the environment variable that starts the count at once,
// and prints the number of events at the end.
const killFromStart = "FAULTS_KILL_FROM_START"

// failSyncsOn names the environment variable that makes SIGUSR1 let fsync fail,
// instead of starting the count.
const failSyncsOn = "FAULTS_FAIL_SYNCS"

var binary string // the product's binary, built once for all tests

func TestMain(m *testing.M) {
	if at, set := os.LookupEnv(killAt); set {
		os.Exit(killSelf(at))
	}
	if callback, set := os.LookupEnv(provideTo); set {
		os.Exit(provide(callback))
	}
	dir, err := os.MkdirTemp("", "portico-faults")
	if err == nil {
		binary = filepath.Join(dir, "portico")
		build := exec.Command("go", "build", "-o", binary, "./cmd/portico")
		build.Dir = "../.."
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, failed := build.CombinedOutput(); failed != nil {
			err = fmt.Errorf("%w\n%s", failed, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	_ = flag.Set("test.parallel", strconv.Itoa(rounds(6, 4))) // the tests wait more than they compute
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// killSelf runs the command line with a hook at every SQL statement. Each
// statement is two events: its begin and its end. SIGUSR1 starts the count. The
// event with the given number kills the process as kill -9 does.
func killSelf(at string) int {
	limit, _ := strconv.ParseInt(at, 10, 64)
	var armed atomic.Bool
	var events atomic.Int64
	sqlite3.AutoExtension(func(c *sqlite3.Conn) error {
		return c.Trace(sqlite3.TRACE_STMT|sqlite3.TRACE_PROFILE, func(sqlite3.TraceEvent, any, any) error {
			if armed.Load() && events.Add(1) == limit {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {} // no code may run between the signal and the end
			}
			return nil
		})
	})
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range signals {
			switch {
			case s == syscall.SIGUSR1 && os.Getenv(failSyncsOn) != "":
				if err := failSyncs(); err != nil {
					fmt.Println(err)
					continue
				}
				fmt.Println("armed")
			case s == syscall.SIGUSR1:
				armed.Store(true)
				fmt.Println("armed")
			default:
				armed.Store(false)
				fmt.Println("events", events.Load())
			}
		}
	}()
	if os.Getenv(killFromStart) != "" {
		armed.Store(true)
		defer func() { fmt.Println("events", events.Load()) }()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return cli.Run(ctx, cli.Process{Args: os.Args[1:], Environ: os.Environ(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr})
}
