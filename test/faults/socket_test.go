package faults

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"portico/internal/testform"
)

// sockets is an app that accepts WebSockets and stays silent on them. It
// answers other requests after a while.
func sockets(c net.Conn, r *http.Request) {
	if r.Header.Get("Upgrade") == "" {
		time.Sleep(300 * time.Millisecond)
		isWell(c, r)
		return
	}
	acceptSocket(c, r)
	_, _ = io.Copy(io.Discard, c)
}

// acceptSocket sends the answer of an app that takes a WebSocket.
func acceptSocket(c net.Conn, r *http.Request) {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-Websocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	_, _ = fmt.Fprintf(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n",
		base64.StdEncoding.EncodeToString(sum[:]))
}

// On a stop the server closes each WebSocket with code 1001. No request for an
// app that is under way fails.
func TestFLT20_WebSockets(t *testing.T) {
	announce(t)
	t.Parallel()
	r, app := behindTheDoor(t)
	app.be(sockets)
	host := strings.TrimPrefix(r.origin, "http://")
	var open []net.Conn
	for range rounds(20, 500) {
		c, err := newNetwork().Dial("tcp", r.listen)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(testform.Patience))
		_, _ = fmt.Fprintf(c, "GET /sick/ws HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", host, r.origin)
		if a, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil || a.StatusCode != http.StatusSwitchingProtocols {
			t.Fatalf("no WebSocket: %v", err)
		}
		open = append(open, c)
	}
	var under, answered sync.WaitGroup
	var failed atomic.Int64
	for range 20 {
		under.Add(1)
		answered.Go(func() {
			b := r.browser()
			defer b.close()
			under.Done()
			if a, err := b.send("GET", "/sick/x", "", ""); err != nil || a.status != http.StatusOK {
				failed.Add(1)
				t.Logf("FLT-20: failed: %d %v", a.status, err)
			}
		})
	}
	under.Wait()
	time.Sleep(100 * time.Millisecond) // the requests have reached the app by now, or at least the server
	told := time.Now()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for _, c := range open {
		if word, err := io.ReadAll(c); string(word) != "\x88\x0a\x03\xe9stopping" {
			t.Errorf("the last frame is %q (%v), want the close code 1001", word, err)
		}
	}
	gone := time.Since(told)
	answered.Wait()
	<-r.ended
	took := time.Since(told)
	t.Logf("FLT-20: %d WebSockets closed after %v, %d of 20 requests failed, ended after %v", len(open), gone, failed.Load(), took)
	if failed.Load() > 0 || gone > testform.Limit(10*time.Second) || took > testform.Limit(30*time.Second) || r.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it ended with %d:\n%s", r.cmd.ProcessState.ExitCode(), r.log)
	}
}
