package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const pipePath = "/pipe"

// pipe is the app's side of a WebSocket. It accepts every handshake and echoes
// every byte.
func pipe(w http.ResponseWriter) {
	c, rw, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
	_, _ = io.CopyBuffer(struct{ io.Writer }{c}, struct{ io.Reader }{rw}, make([]byte, 512))
}

// webSockets opens many WebSockets and keeps them open.
func webSockets(ctx context.Context, b *bench, e engine) ([]figure, error) {
	i, server, _, stop, err := b.behind(ctx, e)
	if err != nil {
		return nil, err
	}
	defer stop()
	var open []*conn
	defer func() { closeAll(open) }()
	memory := func(n int) (float64, error) {
		for len(open) < n {
			c, err := openPipe(i.listen, token(len(open)%i.sessions()))
			if err != nil {
				return 0, err
			}
			open = append(open, c)
		}
		time.Sleep(b.settle)
		return server.memory("VmRSS")
	}
	before, err := memory(b.pipes / 10) // the fixed cost of the first ones is not counted
	if err != nil {
		return nil, err
	}
	after, err := memory(b.pipes)
	if err != nil {
		return nil, err
	}
	each := max(0, after-before) * 1024 / float64(b.pipes-b.pipes/10)
	return []figure{{
		name: fmt.Sprintf("memory of each of %d", b.pipes), product: fmt.Sprintf("%.0f MiB in all", after),
		value: spreadOf([]float64{each}), unit: "KiB", aim: 64,
	}}, nil
}

// openPipe opens a WebSocket and sends a byte through it and back.
func openPipe(addr, session string) (*conn, error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // later it neither reads nor writes
	head := strings.TrimSuffix(string(get(pipePath, sessionCookie+"="+session)), "\r\n")
	_, err = io.WriteString(c, head+"Origin: "+publicURL+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	status, err := c.in.ReadString('\n')
	if err == nil && !strings.HasPrefix(status, "HTTP/1.1 101") {
		err = fmt.Errorf("a WebSocket was answered %q", status)
	}
	if err == nil {
		_, _, err = c.header(new(answer))
	}
	if err == nil {
		_, err = io.WriteString(c, "x")
	}
	if err == nil {
		_, err = c.in.ReadByte()
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}
