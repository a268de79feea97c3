package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"portico/internal/testform"
)

// echoes is an app whose WebSockets answer each short frame with a frame "ok".
// It waits a little before it answers another request, so that some are always
// in flight.
func echoes(c net.Conn, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		time.Sleep(5 * time.Millisecond)
		isWell(c, r)
		return
	}
	acceptSocket(c, r)
	frame := make([]byte, 8) // a masked text frame of two bytes
	for {
		if _, err := io.ReadFull(c, frame); err != nil {
			return
		}
		_, _ = io.WriteString(c, "\x81\x02ok")
	}
}

// chat is a WebSocket through the gateway.
type chat struct {
	net.Conn
	in *bufio.Reader
}

func (b *browser) chat(path string) chat {
	b.Helper()
	c, err := newNetwork().Dial("tcp", b.listen)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(testform.Patience))
	cookie := ""
	for name, value := range b.cookies {
		cookie += name + "=" + value + "; "
	}
	_, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nCookie: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
		path, strings.TrimPrefix(b.origin, "http://"), b.origin, strings.TrimSuffix(cookie, "; "))
	in := bufio.NewReader(c)
	if a, err := http.ReadResponse(in, nil); err != nil || a.StatusCode != http.StatusSwitchingProtocols {
		b.Fatalf("no WebSocket: %v %v", a, err)
	}
	return chat{c, in}
}

// works reports whether both directions of the WebSocket work.
func (c chat) works() bool {
	_ = c.SetDeadline(time.Now().Add(testform.Patience))
	frame := make([]byte, 4)
	_, err := io.WriteString(c, "\x81\x82\x00\x00\x00\x00hi")
	if err == nil {
		_, err = io.ReadFull(c.in, frame)
	}
	return err == nil && string(frame) == "\x81\x02ok"
}

// settings writes the settings file with the rule of the app "chat".
func (p *place) settings(app *sickApp, rule, more string) {
	p.Helper()
	text := fmt.Sprintf("%s\n[[app]]\nname = \"chat\"\npath = \"/chat\"\nupstream = \"http://%s\"\nrules = [%q]\n", more, app.listen, rule)
	if err := os.WriteFile(filepath.Join(p.dir, "portico.toml"), []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// reload runs `portico reload` and returns its exit code, and its output without the warnings about
// open sign-up.
func (p *place) reload() (code int, printed string) {
	cmd := exec.Command(binary, "reload")
	cmd.Dir, cmd.Env = p.dir, p.environ()
	out, _ := cmd.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "warning\t") {
			printed += line
		}
	}
	return cmd.ProcessState.ExitCode(), printed
}

// A reload changes the rules for new requests and for open WebSockets. It ends
// no WebSocket that the rules still allow, and no session. A mistake changes
// nothing.
func TestReload(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newSickApp(t)
	app.be(echoes)
	p := newPlace(t, newSink(t))
	p.settings(app, "signed-in /chat/*", "")
	r := p.serve()
	b := p.browser()
	b.register(fresh("chatter"))
	socket := b.chat("/chat/ws")
	page := func() int {
		a, err := b.send("GET", "/chat/x", "", "")
		if err != nil {
			t.Fatal(err)
		}
		return a.status
	}
	if !socket.works() || page() != http.StatusOK {
		t.Fatal("the app cannot be reached")
	}

	p.settings(app, "signed-in /chat/*", "brand.name = \"First\"\n[[client]]\nid = \"wiki\"\npublic = true\nredirect_uris = [\"https://wiki.test/callback\"]\n")
	if code, printed := p.reload(); code != 0 || printed != "added\tclient \"wiki\"\nchanged\tbrand.name\n" {
		t.Fatalf("exit %d: %s", code, printed)
	}
	if !socket.works() {
		t.Error("the WebSocket was cut, though the rules are the same")
	}
	p.settings(app, "role:editor /chat/*", "session.idle = \"3d\"\nhashing.passes = 3\nbrand.name = \"Example\"")
	if code, printed := p.reload(); code != 0 || printed != "removed\tclient \"wiki\"\nchanged\tapp \"chat\": rules\nchanged\tbrand.name\nchanged\tsession.idle\nneeds a restart\thashing.passes\n" {
		t.Fatalf("exit %d: %s", code, printed)
	}
	if got := page(); got != http.StatusForbidden {
		t.Errorf("a request after the reload gets %d, want 403", got)
	}
	if a, _ := b.send("GET", "/auth/signin", "", ""); !strings.Contains(a.body, "Example") {
		t.Errorf("the sign-in page has the old name")
	}
	if !eventually(testform.Patience, func() bool { return !socket.works() }) {
		t.Error("the WebSocket is open, though the rules forbid it")
	}
	if !b.whoami() {
		t.Error("the session has ended")
	}

	p.settings(app, "sigend-in /chat/*", "brand.name = \"Other\"")
	if code, printed := p.reload(); code != 1 || !strings.Contains(printed, "refused\tportico.toml:6: app.1.rules.1: ") {
		t.Errorf("a mistake: exit %d: %s", code, printed)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "portico.toml"), []byte("brand.name = \"Other\"\n[[app]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, printed := p.reload(); code != 2 || !strings.Contains(printed, "portico.toml:2: ") {
		t.Errorf("a file that is no TOML: exit %d: %s", code, printed)
	}
	if err := r.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if !eventually(testform.Patience, func() bool { return strings.Contains(r.log.String(), "portico.toml:2: TOML") }) {
		t.Errorf("the log does not name the line:\n%s", r.log)
	}
	if a, _ := b.send("GET", "/auth/signin", "", ""); !strings.Contains(a.body, "Example") || page() != http.StatusForbidden {
		t.Error("a refused reload has changed something")
	}

	p.settings(app, "signed-in /chat/*", "brand.name = \"Last\"")
	if err := r.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if !eventually(testform.Patience, func() bool { return page() == http.StatusOK }) {
		t.Errorf("SIGHUP changes nothing:\n%s", r.log)
	}
	if !b.chat("/chat/ws").works() || !b.whoami() {
		t.Error("no WebSocket can be opened, or the session has ended")
	}
	r.stop()
	if r.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it ended with %d:\n%s", r.cmd.ProcessState.ExitCode(), r.log)
	}
}

// Many reloads under load lose no request, cut no WebSocket, keep the counters
// and leave nothing behind.
func TestReload_UnderLoad(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newSickApp(t)
	app.be(echoes)
	p := newPlace(t, newSink(t))
	p.settings(app, "signed-in /chat/*", "")
	r := p.serve()
	var stop = make(chan struct{})
	var people sync.WaitGroup
	var pause sync.RWMutex
	var answered, failed atomic.Int64
	var sockets []chat
	for range 8 {
		b := p.browser()
		b.register(fresh("loader"))
		sockets = append(sockets, b.chat("/chat/ws"))
		people.Go(func() {
			defer b.close()
			for {
				select {
				case <-stop:
					return
				default:
				}
				pause.RLock()
				for _, path := range []string{"/chat/x", "/auth/api/session", "/auth/signin"} {
					if a, err := b.send("GET", path, "", ""); err != nil || a.status != http.StatusOK {
						failed.Add(1)
						t.Errorf("%s: %v %d %.200s", path, err, a.status, a.body)
						pause.RUnlock()
						return
					}
					answered.Add(1)
				}
				pause.RUnlock()
			}
		})
	}
	turn := func(i int) {
		// Another upstream address each time, which is the same app, so that connections are replaced too.
		p.settings(app, "signed-in /chat/*", fmt.Sprintf("brand.name = \"Turn %d\"", i))
		text, _ := os.ReadFile(filepath.Join(p.dir, "portico.toml"))
		text = append(text, fmt.Sprintf("upstream_timeout = \"%ds\"\n[providers.google]\nclient_id = \"id%d\"\nclient_secret = \"x\"\n", 60+i%2, i)...)
		if err := os.WriteFile(filepath.Join(p.dir, "portico.toml"), text, 0o600); err != nil {
			t.Fatal(err)
		}
		if code, printed := p.reload(); code != 0 {
			t.Fatalf("reload %d: exit %d: %s", i, code, printed)
		}
	}
	// While the callers pause, and after a reload, no connection to the app is open but for WebSockets.
	quiet := func(i int, enough func(goroutines int) bool) (least int) {
		pause.Lock()
		defer pause.Unlock()
		turn(i)
		least = r.metric("go_goroutines")
		eventually(testform.Patience, func() bool { least = min(least, r.metric("go_goroutines")); return enough(least) })
		return least
	}
	for i := range 5 {
		turn(i)
	}
	samples := 0
	before := quiet(5, func(int) bool { samples++; return samples == 20 })
	turns := rounds(20, 100)
	for i := range turns {
		turn(6 + i)
	}
	after := quiet(6+turns, func(n int) bool { return n <= before+8 })
	close(stop)
	people.Wait()
	for i, s := range sockets {
		if !s.works() {
			t.Errorf("WebSocket %d was cut", i)
		}
	}
	counted := r.metric(`portico_http_requests_total{method="GET",route="/auth/signin",status="2xx"}`)
	t.Logf("Reload: %d reloads, %d requests, %d failed, goroutines %d before and %d after, %d sign-in pages counted", turns+7, answered.Load(), failed.Load(), before, after, counted)
	if after > before+8 {
		t.Errorf("goroutines leak: %d before, %d after", before, after)
	}
	// A third of all requests are for that page, but each caller may have stopped before its turn.
	if want := answered.Load() / 4; int64(counted) < want {
		t.Errorf("the counter says %d sign-in pages, want at least %d: a reload has reset it", counted, want)
	}
	r.stop()
}

// A reload is of one node. Until the others have reloaded too, all nodes name
// the settings that differ. No session ends.
func TestReload_TwoNodes(t *testing.T) {
	announce(t)
	t.Parallel()
	c := newCluster(t, onEmptyPostgres(t), 2)
	app := newSickApp(t)
	app.be(echoes)
	for i := range c.nodes {
		c.nodes[i].dir = t.TempDir()
	}
	key := filepath.Join(c.dir, "secret.key")
	for _, n := range c.nodes {
		n.extra = append(n.extra, "PORTICO_SECRET_FILE="+key)
		n.settings(app, "signed-in /chat/*", "")
	}
	first := c.nodes[0].serve()
	c.nodes[1].serve()
	b := c.nodes[0].browser()
	b.register(fresh("member"))
	other := c.nodes[1].browser()
	other.cookies = b.cookies
	socket := other.chat("/chat/ws")

	status := func(b *browser) int {
		a, err := b.send("GET", "/chat/x", "", "")
		if err != nil {
			t.Fatal(err)
		}
		return a.status
	}
	reload := func(n *place) {
		n.settings(app, "role:editor /chat/*", "session.idle = \"3d\"")
		if code, printed := n.reload(); code != 0 || printed != "changed\tapp \"chat\": rules\nchanged\tsession.idle\n" {
			t.Fatalf("exit %d: %s", code, printed)
		}
	}
	reload(c.nodes[0])
	if a, b := status(b), status(other); a != http.StatusForbidden || b != http.StatusOK {
		t.Errorf("after the reload of one node, they answer %d and %d, want 403 and 200", a, b)
	}
	if !eventually(time.Minute, func() bool { return c.nodes[1].figure("portico_node_settings_different") != "0" }) {
		t.Error("the other node does not say that settings differ")
	}
	reload(c.nodes[1])
	if got := status(other); got != http.StatusForbidden {
		t.Errorf("the second node answers %d after its reload, want 403", got)
	}
	for i, n := range c.nodes {
		if !eventually(time.Minute, func() bool { return n.figure("portico_node_settings_different") == "0" }) {
			t.Errorf("node %d still says that settings differ:\n%s", i, first.log)
		}
	}
	if !b.whoami() || !other.whoami() {
		t.Error("the session has ended")
	}
	if !eventually(testform.Patience, func() bool { return !socket.works() }) {
		t.Error("the WebSocket is open, though the rules forbid it")
	}
}
