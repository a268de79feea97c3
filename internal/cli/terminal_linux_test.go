package cli_test

import (
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"portico/web"
)

// The window of 'portico dev' is closed: it ends, and its ports are free again.
func TestDev_EndsWithItsTerminal(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(web.Dist, "documents/manifest.json"); err != nil {
		t.Skip("web/dist is not built")
	}
	window, terminal := pseudoterminal(t)
	port := unusedPort(t)
	c := exec.Command("portico", "dev")
	c.Dir = t.TempDir()
	c.Env = []string{"HOME=" + c.Dir, "PORTICO_LISTEN=127.0.0.1:" + port, "PORTICO_PUBLIC_URL=http://localhost:" + port}
	c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	_ = terminal.Close()
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	t.Cleanup(func() { _ = c.Process.Kill() })
	answers(t, port, ended)
	_ = window.Close()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("it still runs a minute after its window was closed")
	}
}

// After a signal at the question for a password, the terminal shows what is typed again.
func TestPassword_Interrupted(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]os.Signal{"Ctrl-C": nil, "SIGTERM": syscall.SIGTERM} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			window, terminal := pseudoterminal(t)
			t.Cleanup(func() { _ = terminal.Close() })
			c := exec.Command("portico", "user", "create", "mara@example.org", "--password")
			c.Dir = t.TempDir()
			c.Env = []string{"HOME=" + c.Dir}
			c.Stdin, c.Stdout, c.Stderr = terminal, terminal, terminal
			c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Process.Kill() })
			for began := time.Now(); shows(t, terminal); time.Sleep(time.Millisecond) {
				if time.Since(began) > time.Minute {
					t.Fatal("it does not ask")
				}
			}
			var err error
			if signal == nil {
				_, err = window.WriteString("half\x03")
			} else {
				err = c.Process.Signal(signal)
			}
			if err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			select {
			case err := <-ended:
				if c.ProcessState.ExitCode() != 1 {
					t.Error(err)
				}
			case <-time.After(time.Minute):
				t.Fatal("it still asks")
			}
			if !shows(t, terminal) {
				t.Error("the terminal stays silent")
			}
		})
	}
}

// A sealed archive would change the settings of a terminal.
func TestExport_NotToATerminal(t *testing.T) {
	t.Parallel()
	_, terminal := pseudoterminal(t)
	t.Cleanup(func() { _ = terminal.Close() })
	c := exec.Command("portico", "export", "-", "--recipient", "age1luvpnr04y70ejsrpsm4n4fwl2m3umxm9au65hyecf6g6g9nes9lqzut9ql")
	c.Dir, c.Stdout = t.TempDir(), terminal
	c.Env = []string{"HOME=" + c.Dir}
	if err := c.Run(); c.ProcessState.ExitCode() != 2 {
		t.Errorf("it ends with %v", err)
	}
}

// shows reports whether a terminal shows what is typed.
func shows(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// pseudoterminal returns the two ends of a terminal: the window and what programs see.
func pseudoterminal(t *testing.T) (window, terminal *os.File) {
	t.Helper()
	window, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = window.Close() })
	if err := unix.IoctlSetPointerInt(int(window.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(window.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return window, terminal
}
