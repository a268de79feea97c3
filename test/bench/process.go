package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server, or a limit that does not serve.
type process struct {
	cmd   *exec.Cmd
	log   *os.File
	in    io.WriteCloser
	out   *bufio.Reader
	ended chan struct{}
}

// start runs a command with its errors in the log. The end of ctx kills it.
func start(ctx context.Context, log string, environ []string, name string, args ...string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, name, args...), ended: make(chan struct{})}
	p.cmd.Env = environ
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if p.log, err = os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.log
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, p.log.Close())
	}
	go func() {
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop ends the process in order and waits for it.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(20 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
	_ = p.log.Close()
}

// failure returns why the process has ended.
func (p *process) failure() error {
	text, _ := os.ReadFile(p.log.Name())
	return fmt.Errorf("%s has ended: %s", p.cmd.Path, strings.TrimSpace(string(text)))
}

// cpu returns the processor time that the process has used.
func (p *process) cpu() (time.Duration, error) {
	own, _, err := cpuTimes(strconv.Itoa(p.cmd.Process.Pid))
	return own, err
}

// memory returns a line of /proc/PID/status in MiB. VmRSS is the resident
// memory, RssAnon the part of it without pages of files, and VmHWM the peak.
func (p *process) memory(line string) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), line+":")
	var kib float64
	if _, err := fmt.Sscanf(rest, "%f kB", &kib); err != nil {
		return 0, fmt.Errorf("read %s: %w", line, err)
	}
	return kib / 1024, nil
}

// tick is the unit of the times in /proc: USER_HZ is 100 on every machine that
// Go runs on (man 5 proc).
const tick = 10 * time.Millisecond

// cpuTimes returns the processor time of a process, by its id or "self", and of
// its children that have ended.
func cpuTimes(pid string) (own, children time.Duration, err error) {
	text, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, 0, err
	}
	// The second field is a name in parentheses, which may contain anything.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 15 {
		return 0, 0, errors.New("/proc/" + pid + "/stat is not understood")
	}
	var times [4]time.Duration // user, system, children's user, children's system
	for i := range times {
		n, err := strconv.ParseInt(fields[11+i], 10, 64)
		if err != nil {
			return 0, 0, err
		}
		times[i] = time.Duration(n) * tick
	}
	return times[0] + times[1], times[2] + times[3], nil
}
