package image

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// container is a running process of the image.
type container struct {
	*testing.T
	command *exec.Cmd
	pid     int // of Portico, as this system numbers it
	said    bytes.Buffer
}

// volume returns a folder for /data as Docker makes it for a new volume: with
// the owner and mode that the folder has in the image.
func volume(t *testing.T, image string) string {
	t.Helper()
	folder := open(t)
	info, err := os.Stat(filepath.Join(image, "data"))
	if err == nil {
		err = os.Chmod(folder, info.Mode().Perm())
	}
	if err == nil && os.Geteuid() == 0 {
		stat := info.Sys().(*syscall.Stat_t)
		err = os.Chown(folder, int(stat.Uid), int(stat.Gid))
	}
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// start runs the image as its last lines say, or with another command: as its
// user, on a root that cannot be written, without capabilities, in namespaces of
// its own except for the network.
func start(t *testing.T, image, data string, environment []string, command ...string) *container {
	t.Helper()
	says := config(t)
	user, _, _ := strings.Cut(says.User, ":")
	if user == "" || user == "0" || user == "root" {
		t.Fatalf("the image runs as %q", says.User)
	}
	for _, mounted := range []string{"proc", "dev"} { // an engine makes them
		if err := os.MkdirAll(filepath.Join(image, mounted), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	report, status, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = report.Close() })
	args := []string{
		"bwrap", "--unshare-all", "--share-net", "--as-pid-1", "--die-with-parent", "--clearenv", "--json-status-fd", "3",
		"--ro-bind", image, "/", "--proc", "/proc", "--dev", "/dev", "--chdir", says.WorkingDir,
	}
	for mount := range says.Volumes {
		args = append(args, "--bind", data, mount)
	}
	if os.Geteuid() == 0 {
		args = append([]string{"setpriv", "--reuid", user, "--regid", user, "--clear-groups"}, args...)
	} else {
		args = append(args, "--uid", user, "--gid", user)
	}
	for _, variable := range slices.Concat(says.Env, environment) {
		name, value, _ := strings.Cut(variable, "=")
		args = append(args, "--setenv", name, value)
	}
	args = append(append(args, "--"), says.Entrypoint...)
	if command == nil {
		command = says.Cmd
	}
	args = append(args, command...)
	c := &container{T: t, command: exec.Command(args[0], args[1:]...)}
	c.command.Stdout, c.command.Stderr, c.command.ExtraFiles = &c.said, &c.said, []*os.File{status}
	err = c.command.Start()
	_ = status.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.command.Process.Kill() })
	var child struct {
		PID int `json:"child-pid"`
	}
	if err := json.NewDecoder(report).Decode(&child); err != nil {
		t.Fatalf("bubblewrap: %v\n%s", err, c.said.String())
	}
	c.pid = child.PID
	return c
}

// ready waits until the operations listener says that the node serves.
func (c *container) ready(ops string) {
	c.Helper()
	for range 600 {
		if r, err := http.Get("http://" + ops + "/readyz"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	c.Fatalf("not ready:\n%s", c.stop())
}

// stop sends SIGTERM, and returns what the process said.
func (c *container) stop() string {
	c.Helper()
	if err := syscall.Kill(c.pid, syscall.SIGTERM); err != nil {
		c.Fatal(err)
	}
	if code := c.wait(); code != 0 {
		c.Errorf("SIGTERM: exit code %d\n%s", code, c.said.String())
	}
	return c.said.String()
}

func (c *container) wait() int {
	c.Helper()
	err := c.command.Wait()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return ended.ExitCode()
	}
	if err != nil {
		c.Fatal(err)
	}
	return 0
}

// confined checks that the process has no rights, and can write nothing but its volume.
func (c *container) confined() {
	c.Helper()
	folder := "/proc/" + strconv.Itoa(c.pid)
	status, err := os.ReadFile(folder + "/status")
	if err != nil {
		c.Fatal(err)
	}
	for _, line := range []string{"CapEff:\t0000000000000000", "CapPrm:\t0000000000000000", "NoNewPrivs:\t1"} {
		if !strings.Contains(string(status), line) {
			c.Errorf("the process lacks %q:\n%s", line, status)
		}
	}
	if os.Geteuid() == 0 && !strings.Contains(string(status), "Uid:\t65532\t65532\t65532\t65532") {
		c.Errorf("the process runs as another user:\n%s", status)
	}
	mounts, err := os.ReadFile(folder + "/mountinfo")
	if err != nil {
		c.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		if fields := strings.Fields(line); fields[4] == "/" && !strings.HasPrefix(fields[5], "ro,") {
			c.Errorf("the root can be written: %s", line)
		}
	}
}

// port returns a loopback address with a free port.
func port(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
