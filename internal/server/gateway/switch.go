package gateway

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// errSwitched makes ReverseProxy leave the answer 101 to us: it would keep two
// goroutines more for as long as the WebSocket is open.
var errSwitched = errors.New("the connection is a WebSocket from here on")

// socket is an app's side of a WebSocket that the client does not have yet.
type socket struct {
	io.ReadWriteCloser
	answer *http.Response // 101, without a body
}

// switched takes the connection out of an answer 101.
func (p *passage) switched(answer *http.Response) error {
	protocol := answer.Header.Get("Upgrade")
	conn, writable := answer.Body.(io.ReadWriteCloser)
	if !p.asked.upgrade || !writable || !strings.EqualFold(protocol, "websocket") {
		return fmt.Errorf("the app switches to the protocol %q, which was not asked for", protocol)
	}
	answer.Body = http.NoBody // ReverseProxy closes that
	p.socket = &socket{conn, answer}
	return errSwitched
}

// connect gives the client the app's answer 101, and all that follows.
func (p *passage) connect(ctx context.Context) {
	app, answer := p.socket.ReadWriteCloser, p.socket.answer
	p.socket = nil // the answer is not kept while the WebSocket is open
	client, rw, err := http.NewResponseController(p.answer.ResponseWriter).Hijack()
	if err != nil {
		_ = app.Close()
		p.err = err
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	t := new(tunnel)
	p.gateway.open.lasts(&p.passing, t) // not before: Hijack takes time limits away
	dropHopByHop(answer.Header)
	p.visit.app.clean(answer.Header)
	p.turn.settle(answer.Header)
	answer.Header["Connection"], answer.Header["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	join(answer.Header, p.answer.ResponseWriter.Header())
	answer.Body = nil // only the header is written
	if answer.Write(rw) == nil && rw.Flush() == nil {
		t.run(client, sent(client, rw.Reader), app)
		return
	}
	_, _ = client.Close(), app.Close() // the client has gone
}

// sent reads what the client sends, from what it has sent already.
func sent(client net.Conn, buffer *bufio.Reader) io.Reader {
	early, _ := buffer.Peek(buffer.Buffered())
	if len(early) == 0 {
		return client
	}
	return io.MultiReader(bytes.NewReader(early), client)
}
