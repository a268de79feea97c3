package gateway_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/flow"
	"portico/internal/testform"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}

// webSocket opens a WebSocket and returns the connection and a reader of the
// app's bytes.
func (s *site) webSocket(origin, cookie string) (net.Conn, *bufio.Reader, *http.Response) {
	s.Helper()
	c := s.dial()
	_, err := io.WriteString(c, "GET /ws HTTP/1.1\r\nHost: "+s.host+"\r\nCookie: "+cookie+"\r\n"+upgrade(s, origin)+"\r\n\r\n")
	if err != nil {
		s.Fatal(err)
	}
	r := bufio.NewReader(c)
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		s.Fatal(err)
	}
	return c, r, response
}

// talks reports whether the app echoes bytes.
func talks(t testing.TB, c net.Conn, r io.Reader) bool {
	t.Helper()
	const text = "\x81\x05hello"
	if _, err := io.WriteString(c, text); err != nil {
		return false
	}
	got := make([]byte, len(text))
	_, err := io.ReadFull(r, got)
	return err == nil && string(got) == text
}

// Bytes that a client sends before it gets the response 101 are not lost.
func TestWebSocket_Early(t *testing.T) {
	t.Parallel()
	s := start(t, behind(echoApp(t).URL, "public /*"))
	c := s.dial()
	const text = "\x81\x05hello"
	if _, err := io.WriteString(c, "GET /ws HTTP/1.1\r\nHost: "+s.host+"\r\n"+upgrade(s, s.origin)+"\r\n\r\n"+text); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	if _, err := http.ReadResponse(r, nil); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(text))
	_ = c.SetReadDeadline(time.Now().Add(testform.Patience))
	if _, err := io.ReadFull(r, got); err != nil || string(got) != text || !talks(t, c, r) {
		t.Errorf("the app sends back %q, %v", got, err)
	}
}

func TestWebSocket(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /public/*", "signed-in /*"))
	cookie := s.person("mara@x.test")
	c, r, response := s.webSocket(s.origin, cookie)
	if response.StatusCode != http.StatusSwitchingProtocols || response.Header.Get("Sec-Websocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" || response.Header.Get("X-User") != s.user("mara@x.test").ID {
		t.Fatalf("the answer is %d %v", response.StatusCode, response.Header)
	}
	if response.Header.Get("Content-Security-Policy") != "" {
		t.Error("our headers are on the app's answer")
	}
	for range 2 {
		if !talks(t, c, r) {
			t.Error("the app does not hear the client, or the other way round")
		}
	}
	// SEC-158: a page of another origin cannot open a WebSocket with the user's
	// cookie.
	for _, origin := range []string{"http://evil.test", "null", "https://" + s.host, "http://localhost", s.origin + ".evil.test", ""} {
		if _, _, response := s.webSocket(origin, cookie); response.StatusCode != http.StatusForbidden {
			t.Errorf("from %q: %d", origin, response.StatusCode)
		}
	}
	if a := s.get("/ws", strings.Replace(upgrade(s, ""), "\r\nOrigin: ", "", 1), "Cookie: "+cookie); a.status != http.StatusForbidden {
		t.Errorf("from nowhere: %d", a.status)
	}
	if _, _, response := s.webSocket(s.origin, ""); response.StatusCode != http.StatusUnauthorized {
		t.Errorf("signed out: %d", response.StatusCode)
	}
}

// SEC-074: an open request ends within 5 seconds of its session, even if
// nothing is sent. Requests of other sessions go on.
func TestStreamsEndWithTheSession(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(t *testing.T, s *site, cookie string){
		"signed out": func(t *testing.T, s *site, cookie string) {
			if err := s.app.Flows.SignOut(t.Context(), s.caller(cookie)); err != nil {
				t.Error(err)
			}
		},
		"disabled": func(t *testing.T, s *site, _ string) {
			if err := s.app.Operator.SetUserState(t.Context(), flow.ByOperator, s.user("mara@x.test").ID, account.DisabledByOperator); err != nil {
				t.Error(err)
			}
		},
		"expired": func(_ *testing.T, s *site, _ string) { s.clock.Advance(31 * 24 * time.Hour) },
		"idle":    func(_ *testing.T, s *site, _ string) { s.clock.Advance(8 * 24 * time.Hour) },
		"role taken": func(t *testing.T, s *site, _ string) {
			if err := s.app.Operator.SetUserRoles(t.Context(), flow.ByOperator, s.user("mara@x.test").ID, []string{"other"}); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := echoApp(t)
			s := start(t, behind(u.URL, "public /download", "role:staff+fresh:10m /*"))
			cookie, other := s.person("mara@x.test", "staff"), s.person("noah@x.test", "staff")
			socket, socketReader, _ := s.webSocket(s.origin, cookie)
			stream := s.dial()
			_, _ = io.WriteString(stream, "GET /events HTTP/1.1\r\nHost: "+s.host+"\r\nCookie: "+cookie+"\r\n\r\n")
			streamReader := bufio.NewReader(stream)
			events, err := http.ReadResponse(streamReader, nil)
			if err != nil || events.StatusCode != 200 {
				t.Fatalf("no event stream: %v", err)
			}
			first := make([]byte, 6)
			if _, err := io.ReadFull(events.Body, first); err != nil || string(first) != "data: " {
				t.Fatalf("the first event did not come at once: %q (%v)", first, err)
			}
			kept, keptReader, _ := s.webSocket(s.origin, other)
			if !talks(t, socket, socketReader) || !talks(t, kept, keptReader) {
				t.Fatal("a WebSocket does not work")
			}
			end(t, s, cookie)
			begun := time.Now()
			if _, err := io.Copy(io.Discard, events.Body); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the event stream is still open")
			}
			word, err := io.ReadAll(socketReader)
			if errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the WebSocket is still open")
			}
			want := "\x88\x0f\x11\x31session.ended"
			if name == "role taken" {
				want = "\x88\x0d\x11\x33rule.denied"
			}
			if string(word) != want {
				t.Errorf("the last word is %q, want %q", word, want)
			}
			if took := time.Since(begun); took > testform.Limit(5*time.Second) {
				t.Errorf("it took %v, want at most 5 s", took)
			}
			if name != "expired" && name != "idle" && !talks(t, kept, keptReader) {
				t.Error("another's WebSocket has ended as well")
			}
		})
	}
}

// The age of a sign-in is checked at the beginning of a request only.
func TestStreams_FreshIsAskedOnce(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	s := start(t, behind(u.URL, "fresh:10m /*"))
	cookie := s.person("mara@x.test")
	c, r, _ := s.webSocket(s.origin, cookie)
	s.clock.Advance(time.Hour)
	_ = c.SetReadDeadline(time.Now().Add(2500 * time.Millisecond)) // longer than the watcher needs
	if _, err := r.ReadByte(); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a WebSocket has ended because its sign-in has grown old: %v", err)
	}
	if a := s.get("/x", fetch, "Cookie: "+cookie); a.status != http.StatusUnauthorized {
		t.Errorf("a new request: %d", a.status)
	}
}

// The app learns that the client has disconnected.
func TestClientGone(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	u := newUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	s := start(t, behind(u, "public /*"))
	c := s.dial()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: "+s.host+"\r\n\r\n")
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
	select {
	case <-gone:
	case <-time.After(testform.Patience):
		t.Error("the app did not learn of it")
	}
}

// If an app crashes during a response, the partial response does not look
// complete.
func TestAppDiesMidway(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	s := start(t, behind(u, "public /*"))
	response, err := http.Get(s.origin + "/")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("half an answer looks whole: %q", body)
	}
	http.DefaultClient.CloseIdleConnections()
}

// Stopping ends endless requests at once, and waits for others.
func TestStop(t *testing.T) {
	t.Parallel()
	u := echoApp(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	slow := newUpstream(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-release
		_, _ = io.WriteString(w, "whole")
	}))
	s := start(t, behind(u.URL, "public /*"), withApp("slow", "/slow", slow))
	socket, r, _ := s.webSocket("", "")
	if !talks(t, socket, r) {
		t.Fatal("a WebSocket does not work")
	}
	answered := make(chan string, 1)
	go func() { answered <- s.get("/slow").body }()
	<-arrived
	go s.stop()
	word, err := io.ReadAll(r)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the WebSocket holds up the stop")
	}
	if string(word) != "\x88\x0a\x03\xe9stopping" {
		t.Errorf("the last word is %q, want that it goes away", word)
	}
	close(release)
	if body := <-answered; body != "whole" {
		t.Errorf("a request under way was cut off: %q", body)
	}
	s.stop()
}

// SEC-175, FLT-18: bodies of any size pass with constant memory.
func TestStreams_FlatMemory(t *testing.T) {
	size := int64(256 << 20)
	if testform.Full() {
		size = 2 << 30
	}
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /*")).settled()
	var peak atomic.Uint64
	stop := watchMemory(&peak)
	response, err := http.Get(fmt.Sprintf("%s/download?n=%d", s.origin, size))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, response.Body)
	_ = response.Body.Close()
	if err != nil || n != size {
		t.Errorf("downloaded %d bytes (%v)", n, err)
	}
	for _, length := range []int64{size, -1} { // with a length, and chunked
		request, _ := http.NewRequest(http.MethodPost, s.origin+"/upload", io.LimitReader(zeros{}, size))
		request.ContentLength = length
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if got := (answer{body: string(body)}).echoed(t); got.Body != size {
			t.Errorf("uploaded %d bytes, want %d", got.Body, size)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	base := stop()
	grown := int64(peak.Load()) - int64(base)
	t.Logf("%d MiB down, up and up in chunks: the heap has grown by %.1f MiB at most", size>>20, float64(grown)/(1<<20))
	if grown > 24<<20 {
		t.Errorf("the heap has grown by %d MiB", grown>>20)
	}
}

// An idle WebSocket needs little more memory than a direct connection to the
// app.
func TestWebSocket_Memory(t *testing.T) {
	const most = (64 << 10) * grown / 100
	conns := 300
	if testform.Full() {
		conns = 2000
	}
	u := echoApp(t)
	s := start(t, behind(u.URL, "public /*")).settled()
	each := func(addr string) int64 {
		direct := *s
		direct.addr = addr
		warm, _, _ := direct.webSocket("", "")
		_ = warm.Close()
		before := steadyInUse()
		for range conns {
			if _, _, response := direct.webSocket("", ""); response.StatusCode != http.StatusSwitchingProtocols {
				t.Fatalf("the response has the status %d", response.StatusCode)
			}
		}
		return (int64(steadyInUse()) - int64(before)) / int64(conns)
	}
	alone := each(strings.TrimPrefix(u.URL, "http://"))
	through := each(s.addr)
	t.Logf("%d WebSockets: %d bytes each through the gateway, %d without it", conns, through, alone)
	if through-alone > most {
		t.Errorf("a WebSocket takes %d bytes, want at most %d", through-alone, most)
	}
}
