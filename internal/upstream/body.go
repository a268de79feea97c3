package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// body is that of an answer; with its end the connection is free.
type body struct {
	from io.ReadCloser
	conn *conn // nil when it is free
	ctx  context.Context
	stop func() bool
	last bool // the connection ends with this answer
	err  error
}

func (b *body) Read(p []byte) (int, error) {
	if b.conn == nil {
		return 0, b.err
	}
	n, err := b.from.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.end()
	case err != nil:
		if gone := b.ctx.Err(); gone != nil {
			err = gone
		}
		b.abandon(err)
	}
	return n, err
}

// Close of a body that was not read to its end ends the connection: reading on
// could take for ever.
func (b *body) Close() error {
	b.abandon(http.ErrBodyReadAfterClose)
	return nil
}

func (b *body) abandon(err error) {
	if b.conn != nil {
		b.err = err
		b.stop()
		b.conn.close()
		b.conn = nil
	}
}

// end gives the connection back, unless it has more to say or nobody waits.
func (b *body) end() {
	c := b.conn
	b.conn, b.err = nil, io.EOF
	if !b.stop() || b.last || c.r.Buffered() > 0 {
		c.close()
		return
	}
	c.used = true
	c.client.put(c)
}
