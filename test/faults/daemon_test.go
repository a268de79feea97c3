package faults

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/internal/testform"
)

// household is a folder for servers of other projects, and the user who runs
// them. These servers refuse to run as root.
type household struct {
	*testing.T
	dir   string
	owner *syscall.Credential // nil for the user of the test
}

func newHousehold(t *testing.T) *household {
	t.Helper()
	parent := "" // in memory, if there is such a folder
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		parent = "/dev/shm"
	}
	dir, err := os.MkdirTemp(parent, "portico-failover.")
	if err != nil {
		t.Fatal(err)
	}
	h := &household{T: t, dir: dir}
	t.Cleanup(func() { eventually(5*time.Second, func() bool { return os.RemoveAll(dir) == nil }) }) // a killed server may still write
	if os.Getuid() != 0 {
		return h
	}
	who, err := user.Lookup("postgres")
	if err != nil {
		who, err = user.Lookup("nobody")
	}
	if err != nil {
		t.Fatal(err)
	}
	uid, _ := strconv.ParseUint(who.Uid, 10, 32)
	gid, _ := strconv.ParseUint(who.Gid, 10, 32)
	h.owner = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	if err := os.Chown(dir, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *household) path(name string) string { return filepath.Join(h.dir, name) }

// write creates a file that the owner may read.
func (h *household) write(name, text string) string {
	h.Helper()
	if err := os.WriteFile(h.path(name), []byte(text), 0o644); err != nil {
		h.Fatal(err)
	}
	if h.owner != nil {
		if err := os.Chown(h.path(name), int(h.owner.Uid), int(h.owner.Gid)); err != nil {
			h.Fatal(err)
		}
	}
	return h.path(name)
}

// command prepares a program that runs as the owner.
func (h *household) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir = h.dir
	cmd.Env = []string{"PATH=" + os.Getenv("POSTGRES_BIN") + ":/usr/sbin:/usr/bin:/bin", "HOME=" + h.dir, "LANG=C.UTF-8"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: h.owner, Setpgid: true}
	return cmd
}

// do runs a program to its end.
func (h *household) do(program string, args ...string) string {
	h.Helper()
	out, err := h.command(program, args...).CombinedOutput()
	if err != nil {
		h.Fatalf("%s: %v\n%s", program, err, out)
	}
	return string(out)
}

// daemon is a server that runs until the test ends it.
type daemon struct {
	cmd   *exec.Cmd
	ended chan struct{}
}

// start runs a server. Its output goes to a file with its name.
func (h *household) start(name, program string, args ...string) *daemon {
	h.Helper()
	log, err := os.OpenFile(h.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		h.Fatal(err)
	}
	defer log.Close()
	d := &daemon{cmd: h.command(program, args...), ended: make(chan struct{})}
	d.cmd.Stdout, d.cmd.Stderr = log, log
	if err := d.cmd.Start(); err != nil {
		h.Fatal(err)
	}
	go func() {
		_ = d.cmd.Wait()
		close(d.ended)
	}()
	h.Cleanup(func() { // with all its children
		select {
		case <-d.ended: // the process id may belong to another process now
		default:
			_ = syscall.Kill(-d.cmd.Process.Pid, syscall.SIGKILL)
		}
		d.end(syscall.SIGKILL)
	})
	return d
}

// end sends a signal and waits for the end of the server.
func (d *daemon) end(signal syscall.Signal) {
	_ = d.cmd.Process.Signal(signal)
	<-d.ended
}

// listens waits until a server accepts connections at an address.
func (h *household) listens(name, address string) {
	h.Helper()
	taken := eventually(testform.Patience, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
	if !taken {
		text, _ := os.ReadFile(h.path(name + ".log"))
		h.Fatalf("%s does not listen:\n%s", name, text)
	}
}

// unshared frees the shared memory that a killed PostgreSQL has left. Line 7 of
// its pid file names it.
func (h *household) unshared(data string) {
	text, _ := os.ReadFile(filepath.Join(h.path(data), "postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	if len(lines) < 7 {
		return
	}
	if words := strings.Fields(lines[6]); len(words) == 2 {
		_ = h.command("ipcrm", "--shmem-id", words[1]).Run()
	}
}

// port returns a free port.
func (h *household) port() string {
	h.Helper()
	_, port, err := net.SplitHostPort(freePort(h.T))
	if err != nil {
		h.Fatal(err)
	}
	return port
}

// loopback returns an address on this machine.
func loopback(port string) string { return fmt.Sprintf("127.0.0.1:%s", port) }
