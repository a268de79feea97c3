package faults

import (
	"bufio"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver" // reads the file after a kill

	"portico/internal/logtest"
	"portico/internal/testform"
)

// place is a folder with the data of an installation, and the ports that all
// its runs use.
type place struct {
	*testing.T
	dir    string
	listen string
	ops    string
	origin string
	mail   *sink
	extra  []string // more environment
}

func newPlace(t *testing.T, mail *sink, extra ...string) *place {
	t.Helper()
	p := &place{T: t, dir: t.TempDir(), listen: freePort(t), ops: freePort(t), mail: mail, extra: extra}
	p.origin = "http://" + strings.Replace(p.listen, "127.0.0.1", "localhost", 1)
	return p
}

// givenPorts are the addresses that freePort has tried.
var givenPorts sync.Map

// freePort returns an unused address below the kernel's range of ephemeral
// ports. A connection of another test could take a port of that range before
// the process does. It tries no address twice: the test that has it may be about to listen.
func freePort(t *testing.T) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", 10240+rand.IntN(20000))
		if _, given := givenPorts.LoadOrStore(address, true); given {
			continue
		}
		if l, err := net.Listen("tcp", address); err == nil {
			_ = l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// listen listens at an address that was closed a moment ago. A process that another test
// starts has a copy of each socket until it runs its program, and so keeps the address in use.
func listen(address string) (l net.Listener, err error) {
	eventually(10*time.Second, func() bool {
		l, err = net.Listen("tcp", address)
		return !errors.Is(err, syscall.EADDRINUSE)
	})
	return l, err
}

// copied returns the same installation in another folder.
func (p *place) copied() *place {
	p.Helper()
	other := *p
	other.dir = p.TempDir()
	if err := os.CopyFS(other.dir, os.DirFS(p.dir)); err != nil {
		p.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(other.dir, "secret.key"), 0o600); err != nil {
		p.Fatal(err)
	}
	return &other
}

func (p *place) databaseFile() string { return filepath.Join(p.dir, "portico.db") }

func (p *place) environ() []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.dir, "PORTICO_PUBLIC_URL=" + p.origin, "PORTICO_LISTEN=" + p.listen, "PORTICO_OPS_LISTEN=" + p.ops,
		"PORTICO_SMTP_URL=smtp://" + p.mail.addr + "?tls=none", "PORTICO_MAIL_FROM=no-reply@example.org", "PORTICO_DATABASE_URL=sqlite:" + p.databaseFile(),
		"PORTICO_SECRET_FILE=" + filepath.Join(p.dir, "secret.key"),
	}, p.extra...)
}

// process is one run of a Portico.
type process struct {
	*place
	cmd   *exec.Cmd
	log   *logtest.Buffer
	out   *bufio.Reader
	start time.Duration // until it was ready
	ended chan struct{}
}

// serve starts the product's binary and waits until it is ready.
func (p *place) serve() *process {
	p.Helper()
	return p.run(exec.Command(binary, "serve"))
}

// serveUntil starts a Portico that kills itself at an event of its database.
func (p *place) serveUntil(event int) *process {
	p.Helper()
	cmd := exec.Command(os.Args[0], "serve")
	cmd.Env = []string{fmt.Sprintf("%s=%d", killAt, event)}
	return p.run(cmd)
}

func (p *place) run(cmd *exec.Cmd) *process {
	p.Helper()
	r := &process{place: p, cmd: cmd, log: &logtest.Buffer{}, ended: make(chan struct{})}
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, append(p.environ(), cmd.Env...), r.log
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	r.out = bufio.NewReader(stdout)
	began := time.Now()
	if err := cmd.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(r.kill)
	go func() {
		_ = cmd.Wait()
		close(r.ended)
	}()
	for {
		resp, err := http.Get("http://" + p.ops + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				break
			}
		}
		select {
		case <-r.ended:
			p.Fatalf("it ended at the start:\n%s", r.log)
		case <-time.After(2 * time.Millisecond):
		}
		if time.Since(began) > 30*time.Second {
			p.Fatalf("it is not ready after 30 seconds:\n%s", r.log)
		}
	}
	r.start = time.Since(began)
	return r
}

// kill ends the process with SIGKILL.
func (r *process) kill() {
	_ = r.cmd.Process.Signal(syscall.SIGKILL)
	<-r.ended
}

// stop ends the process as an operator does.
func (r *process) stop() {
	r.Helper()
	_ = r.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-r.ended:
	case <-time.After(testform.Patience):
		r.Fatalf("it did not stop:\n%s", r.log)
	}
}

// alive reports whether the process runs.
func (r *process) alive() bool {
	select {
	case <-r.ended:
		return false
	default:
		return true
	}
}

// signal sends a signal and returns the line that the process prints for it.
func (r *process) signal(s syscall.Signal) string {
	r.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.Fatal(err)
	}
	for {
		line, err := r.out.ReadString('\n')
		if err != nil && err != io.EOF {
			r.Fatal(err)
		}
		// An empty installation prints the link for its first admin, in two lines.
		if !strings.HasPrefix(line, "Before ") && !strings.HasPrefix(line, "   ") {
			return strings.TrimSpace(line)
		}
	}
}

// rss returns the resident memory of the process and its peak, in MiB.
func (r *process) rss() (now, peak int) {
	r.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		r.Fatal(err)
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		var kib int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kib); n == 1 {
			now = kib >> 10
		}
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kib); n == 1 {
			peak = kib >> 10
		}
	}
	return now, peak
}

// settled waits until the work after the start is done.
func (r *process) settled() {
	r.Helper()
	last := r.ticks()
	if !eventually(testform.Patience, func() bool {
		time.Sleep(100 * time.Millisecond)
		now := r.ticks()
		idle := now == last
		last = now
		return idle
	}) {
		r.Error("the process is never idle")
	}
}

// ticks returns the processor time that the process has used, in hundredths of
// a second.
func (r *process) ticks() int {
	r.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.cmd.Process.Pid))
	if err != nil {
		r.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may contain spaces
	fields := strings.Fields(rest)
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}

// resetPeak resets the peak of rss.
func (r *process) resetPeak() {
	r.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", r.cmd.Process.Pid), []byte("5"), 0); err != nil {
		r.Fatal(err)
	}
}

// files returns the number of open files of the process.
func (r *process) files() int {
	r.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", r.cmd.Process.Pid))
	if err != nil {
		r.Fatal(err)
	}
	return len(list)
}

// count returns the number that a query on the file selects.
func (p *place) count(query string, args ...any) int {
	p.Helper()
	db, err := sql.Open("sqlite3", "file:"+p.databaseFile()+"?mode=ro&_pragma=busy_timeout(5000)")
	if err != nil {
		p.Fatal(err)
	}
	defer db.Close()
	var n int
	if err := db.QueryRow(query, args...).Scan(&n); err != nil {
		p.Fatalf("%s: %v", query, err)
	}
	return n
}

// sound fails unless the database is consistent: no single-use row was used
// twice, SQLite finds no damage and no orphans, and the audit record matches.
func (p *place) sound() {
	p.Helper()
	if n := p.count(`SELECT COUNT(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'`); n > 0 {
		p.Errorf("the file is damaged in %d places", n)
	}
	for what, query := range map[string]string{
		"rows without their parent":                       `SELECT COUNT(*) FROM pragma_foreign_key_check`,
		"registrations that are done without account":     `SELECT COUNT(*) FROM flow f WHERE kind = 'signup' AND step = 'done' AND NOT EXISTS (SELECT 1 FROM account a WHERE a.id = f.account_id)`,
		"accounts without an audit record":                `SELECT COUNT(*) FROM account a WHERE NOT EXISTS (SELECT 1 FROM audit u WHERE u.account_id = a.id AND u.name IN ('signed_up', 'account_created'))`,
		"sessions without an audit record":                `SELECT MAX(0, (SELECT COUNT(*) FROM session) - (SELECT COUNT(*) FROM audit WHERE name = 'signed_in'))`,
		"accounts by a code that is not used":             `SELECT COUNT(*) FROM flow f WHERE kind = 'signup' AND step = 'done' AND EXISTS (SELECT 1 FROM code c WHERE c.flow_id = f.id AND used_at = 0)`,
		"steps past a code that is not used":              `SELECT COUNT(*) FROM flow f WHERE kind = 'recovery' AND step IN ('reset', 'done') AND EXISTS (SELECT 1 FROM code c WHERE c.flow_id = f.id AND used_at = 0)`,
		"codes that are used without their step":          `SELECT COUNT(*) FROM code c JOIN flow f ON f.id = c.flow_id WHERE used_at > 0 AND f.step = 'verify'`,
		"invitations not used for each of their accounts": `SELECT COUNT(*) FROM invitation i WHERE used <> (SELECT COUNT(*) FROM audit u WHERE u.name = 'invitation_used' AND u.detail LIKE i.id || '%')`,
		"changed passwords without an audit record":       `SELECT COUNT(*) FROM account a WHERE version > 1 AND NOT EXISTS (SELECT 1 FROM audit u WHERE u.account_id = a.id AND u.name = 'password_changed')`,
	} {
		if n := p.count(query); n > 0 {
			p.Errorf("%d %s", n, what)
		}
	}
}
