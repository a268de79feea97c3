package cli_test

import (
	"io/fs"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"portico/web"
)

// withoutReaders prepares a command whose standard output and standard error have no reader.
func withoutReaders(t *testing.T, folder string, args ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command("portico", args...) // TestMain puts it into the path
	c.Dir, c.Env = folder, []string{"HOME=" + folder}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = reader.Close()
	t.Cleanup(func() { _ = writer.Close() })
	c.Stdout, c.Stderr = writer, writer
	return c
}

// A server goes on when the reader of its log or of its output has gone, and after SIGHUP.
func TestServing_OutlivesReaders(t *testing.T) {
	t.Parallel()
	if _, err := fs.Stat(web.Dist, "documents/manifest.json"); err != nil {
		t.Skip("web/dist is not built")
	}
	for _, command := range []string{"serve", "dev"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			port := unusedPort(t)
			c := withoutReaders(t, t.TempDir(), command)
			c.Env = append(c.Env, "PORTICO_LISTEN=127.0.0.1:"+port, "PORTICO_PUBLIC_URL=http://localhost:"+port, "PORTICO_OPS_LISTEN=127.0.0.1:0",
				"PORTICO_SMTP_URL=smtp://127.0.0.1:1?tls=none", "PORTICO_MAIL_FROM=no-reply@example.org")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- c.Wait() }()
			t.Cleanup(func() { _ = c.Process.Kill() })
			answers(t, port, ended)
			answers(t, port, ended) // after the log entry of the first request
			if err := c.Process.Signal(syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			answers(t, port, ended)
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// answers waits until the sign-in page answers.
func answers(t *testing.T, port string, ended chan error) {
	t.Helper()
	for range 1200 {
		if r, err := http.Get("http://localhost:" + port + "/auth/signin"); err == nil {
			_ = r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return
			}
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended by itself: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Fatal("it does not serve")
}

// unusedPort returns a free port that Linux gives to no outgoing connection.
func unusedPort(t *testing.T) string {
	t.Helper()
	for range 100 {
		port := strconv.Itoa(20000 + rand.IntN(12000))
		if l, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatal("no port is free")
	return ""
}

// A change of the master key is completed although no process reads its progress.
func TestSecretRotate_OutlivesReaders(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	next := []string{"HOME=" + folder, "PORTICO_SECRET_NEXT_FILE=portico-data/next.key"}
	for _, args := range [][]string{{"migrate"}, {"user", "create", "mara@example.com"}, {"secret", "new"}} {
		c := exec.Command("portico", args...)
		c.Dir, c.Env = folder, next
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	c := withoutReaders(t, folder, "secret", "rotate")
	c.Env = next
	var said strings.Builder
	c.Stdout = &said
	if err := c.Run(); err != nil || !strings.Contains(said.String(), "current key") {
		t.Errorf("%v\n%s", err, said.String())
	}
}
