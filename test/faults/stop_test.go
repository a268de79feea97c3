package faults

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"portico/internal/testform"
)

// traffic counts what ordinary clients see of a server that stops.
type traffic struct {
	answered atomic.Int64
	refused  atomic.Int64 // no connection, or a new one that ended before its request was read
	failed   atomic.Int64
	first    atomic.Int64 // the time of the first refusal, in microseconds
}

// visit sends 20 requests a second on one connection until it is refused.
func (p *place) visit(n *traffic) {
	transport := &http.Transport{DialContext: newNetwork().DialContext}
	defer transport.CloseIdleConnections()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		reused := false
		r, _ := http.NewRequest("GET", "http://"+p.listen+"/auth/signin", nil)
		r.Host = strings.TrimPrefix(p.origin, "http://")
		r = r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}))
		answer, err := transport.RoundTrip(r)
		if err == nil {
			_, err = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		switch {
		case err == nil && answer.StatusCode == http.StatusOK:
			n.answered.Add(1)
		case err != nil && !reused:
			n.refused.Add(1)
			n.first.CompareAndSwap(0, time.Now().UnixMicro())
			return
		default:
			n.failed.Add(1)
			p.Logf("FLT-20: failed: %v", err)
			return
		}
	}
}

// upload is a request whose body comes in two parts.
type upload struct {
	conn net.Conn
	body string
}

func (p *place) upload() upload {
	p.Helper()
	c, err := newNetwork().Dial("tcp", p.listen)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = c.Close() })
	body := fmt.Sprintf(`{"email":%q}`, fresh("slow"))
	_, err = fmt.Fprintf(c, "POST /auth/api/forgot-password HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(p.origin, "http://"), p.origin, len(body), body[:8])
	if err != nil {
		p.Fatal(err)
	}
	return upload{c, body[8:]}
}

// finish sends the rest and returns the status of the answer.
func (u upload) finish() (int, error) {
	_ = u.conn.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := io.WriteString(u.conn, u.body); err != nil {
		return 0, err
	}
	answer, err := http.ReadResponse(bufio.NewReader(u.conn), nil)
	if err != nil {
		return 0, err
	}
	return answer.StatusCode, nil
}

// A server that is told to stop first reports that it is not ready. It fails no
// accepted request and ends in time.
func TestFLT20_GracefulStop(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	r := p.serve()
	var n traffic
	var visitors sync.WaitGroup
	for range 10 {
		visitors.Go(func() { p.visit(&n) })
	}
	uploads := []upload{p.upload(), p.upload(), p.upload()}
	never := p.upload() // its second part never comes
	eventually(10*time.Second, func() bool { return n.answered.Load() > 40 })

	told := time.Now()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	var unready time.Time
	if !eventually(10*time.Second, func() bool {
		resp, err := http.Get("http://" + p.ops + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		unready = time.Now()
		return resp.StatusCode == http.StatusServiceUnavailable
	}) {
		t.Error("it does not report that it is not ready")
	}
	visitors.Wait()
	for _, u := range uploads {
		if status, err := u.finish(); status != http.StatusOK {
			t.Errorf("a slow upload gets status %d, %v", status, err)
		}
	}
	<-r.ended
	took := time.Since(told)
	_ = never.conn.Close()
	t.Logf("FLT-20: %d requests answered, %d refused after it was not ready, %d failed, 3 slow uploads answered; not ready after %v, connections refused after %v, ended after %v",
		n.answered.Load(), n.refused.Load(), n.failed.Load(), unready.Sub(told), time.UnixMicro(n.first.Load()).Sub(told), took)
	if n.failed.Load() > 0 {
		t.Errorf("%d requests under way failed", n.failed.Load())
	}
	// The readiness check may be late on a busy machine.
	if lead := time.UnixMicro(n.first.Load()).Sub(unready); full() && lead < 500*time.Millisecond {
		t.Errorf("connections were refused %v after it was not ready: too early for a load balancer to notice", lead)
	}
	if took > testform.Limit(30*time.Second) || r.cmd.ProcessState.ExitCode() != 0 {
		t.Errorf("it took %v to stop, with the exit code %d:\n%s", took, r.cmd.ProcessState.ExitCode(), r.log)
	}
	p.sound()
}

// A node without connections still accepts requests for a second when it is told to stop,
// because a balancer does not know that yet.
func TestFLT20_IdleStop(t *testing.T) {
	announce(t)
	t.Parallel()
	p := newPlace(t, newSink(t))
	r := p.serve()
	told := time.Now()
	if err := r.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	alone := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answered, refused := 0, time.Duration(0)
	for {
		answer, err := alone.Get(p.origin + "/auth/signin")
		if err != nil {
			refused = time.Since(told)
			break
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("status %d while it stops", answer.StatusCode)
		}
		answered++
	}
	<-r.ended
	t.Logf("FLT-20: idle: %d requests on connections of their own answered, refused after %v, ended after %v", answered, refused, time.Since(told))
	if answered == 0 || refused < time.Second { // on a slow machine it is later, never earlier
		t.Errorf("connections are refused after %v, with %d requests answered", refused, answered)
	}
}

// An operator restarts after most changes, so a start is quick, even with a
// million accounts.
func TestFLT20_Restarts(t *testing.T) {
	announce(t)
	measures(t)
	p := newPlace(t, newSink(t))
	people := rounds(1_000, 1_000_000)
	p.populate(people)
	var starts []time.Duration
	for range rounds(4, 100) {
		r := p.serve()
		starts = append(starts, r.start)
		r.stop()
	}
	p.sound()
	t.Logf("FLT-20: %d restarts with %d accounts: median %v to ready, slowest %v", len(starts), people, percentile(starts, 50), percentile(starts, 100))
	if limit := 300 * time.Millisecond * time.Duration(rounds(10, 1)); percentile(starts, 50) > limit {
		t.Errorf("it takes %v to start, at most %v", percentile(starts, 50), limit)
	}
}
