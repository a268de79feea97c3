package faults

import (
	"bufio"
	"os/exec"
	"strings"
	"time"
)

// findsUsers fails unless an operator's commands find one of very many users
// quickly, by address and page by page. The times include the start of the
// process.
func (s side) findsUsers() {
	s.Helper()
	for _, command := range []string{"session list", "user disable", "user enable", "user list"} {
		var times []time.Duration
		for n := range rounds(1, 25) {
			began := time.Now()
			if command == "user list" {
				s.firstPage()
			} else if out := s.command(append(strings.Fields(command), s.somebody(n))...); strings.Contains(out, "exit status") {
				s.Fatalf("%s: %s", command, out)
			}
			times = append(times, time.Since(began))
		}
		s.Logf("FLT-23: portico %s: p50 %v, the slowest of %d %v", command, percentile(times, 50), len(times), percentile(times, 100))
		if full() && percentile(times, 90) > 500*time.Millisecond {
			s.Errorf("one portico %s in ten took %v", command, percentile(times, 90))
		}
	}
}

// firstPage reads the first 500 lines of a very long list.
func (s side) firstPage() {
	s.Helper()
	cmd := exec.Command(binary, "user", "list")
	cmd.Dir, cmd.Env = s.dir, s.environ()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		s.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	count := 0
	for count < min(500, s.accounts) && lines.Scan() {
		count++
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if count < min(500, s.accounts) {
		s.Errorf("the list ends after %d accounts: %v", count, lines.Err())
	}
}
