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

// errSwitched makes ReverseProxy leave a 101 response to this package.
// ReverseProxy itself would keep two more goroutines for each WebSocket.
var errSwitched = errors.New("the connection is a WebSocket from here on")

// socket is the app's side of a WebSocket before the client is connected.
type socket struct {
	io.ReadWriteCloser
	answer *http.Response // status 101, without a body
}

// switched takes the connection of a 101 response.
func (p *passage) switched(answer *http.Response) error {
	protocol := answer.Header.Get("Upgrade")
	conn, writable := answer.Body.(io.ReadWriteCloser)
	if !p.asked.upgrade || !writable || !strings.EqualFold(protocol, "websocket") {
		return fmt.Errorf("the app switched to the protocol %q, which the client did not ask for", protocol)
	}
	answer.Body = http.NoBody // so that ReverseProxy does not close the connection
	p.socket = &socket{conn, answer}
	return errSwitched
}

// connect sends the 101 response to the client and runs the WebSocket.
func (p *passage) connect(ctx context.Context) {
	app, answer := p.socket.ReadWriteCloser, p.socket.answer
	p.socket = nil // release the response while the WebSocket is open
	client, rw, err := http.NewResponseController(p.answer.ResponseWriter).Hijack()
	if err != nil {
		_ = app.Close()
		p.err = err
		return
	}
	stop := context.AfterFunc(ctx, func() { _ = client.Close() })
	defer stop()
	t := &tunnel{app: app}
	p.gateway.open.lasts(&p.passing, t) // after Hijack, which resets the deadlines
	dropHopByHop(answer.Header)
	p.visit.app.clean(answer.Header)
	p.turn.settle(answer.Header)
	answer.Header["Connection"], answer.Header["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	join(answer.Header, p.answer.ResponseWriter.Header())
	answer.Body = nil // write the header only
	if answer.Write(rw) == nil && rw.Flush() == nil {
		t.run(client, sent(client, rw.Reader), app)
		return
	}
	_, _ = client.Close(), app.Close() // the client has disconnected
}

// sent returns a reader of the client's bytes, beginning with the buffered
// ones.
func sent(client net.Conn, buffer *bufio.Reader) io.Reader {
	early, _ := buffer.Peek(buffer.Buffered())
	if len(early) == 0 {
		return client
	}
	return io.MultiReader(bytes.NewReader(early), client)
}
