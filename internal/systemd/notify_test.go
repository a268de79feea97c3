package systemd

import (
	"net"
	"path/filepath"
	"testing"
)

// manager listens as systemd does and returns the next message.
func manager(t *testing.T) (next func() string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return func() string {
		buffer := make([]byte, 4096)
		n, err := c.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		return string(buffer[:n])
	}
}

func TestNotify(t *testing.T) {
	next := manager(t)
	Ready("serving\nhere")
	if got := next(); got != "READY=1\nSTATUS=serving here" {
		t.Errorf("ready: %q", got)
	}
	Reloading()
	if got := next(); got != "RELOADING=1" {
		t.Errorf("reloading: %q", got)
	}
	Stopping()
	if got := next(); got != "STOPPING=1" {
		t.Errorf("stopping: %q", got)
	}
}

func TestNotify_WithoutManager(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	Ready("") // neither waits nor fails
	t.Setenv("NOTIFY_SOCKET", "")
	Ready("")
}
