package flow

import (
	"context"
	"time"

	"portico/internal/fault"
	"portico/internal/picture"
)

const (
	// drawingRoom is how many portraits may be drawn or wait for it. Each holds its
	// file in memory.
	drawingRoom = 5
	// drawingPause is after how long a portrait without a place may be given again.
	drawingPause = 5 * time.Second
)

// DrawingBusy means that too many portraits wait to be drawn.
var DrawingBusy = fault.New(fault.Unavailable, fault.CodeUnavailable).WithRetryAfter(drawingPause)

// drawing draws one portrait at a time, and lets few wait for it: a decoded
// picture needs much memory. It is safe for concurrent use.
type drawing struct {
	room chan struct{} // one for each portrait that is drawn or waits
	turn chan struct{} // one for the portrait that is drawn
}

func newDrawing() *drawing {
	return &drawing{room: make(chan struct{}, drawingRoom), turn: make(chan struct{}, 1)}
}

func (d *drawing) full() bool { return len(d.room) == cap(d.room) }

// enter takes a place to wait until leave is called. It returns DrawingBusy if there
// is none.
func (d *drawing) enter() (leave func(), err error) {
	select {
	case d.room <- struct{}{}:
		return func() { <-d.room }, nil
	default:
		return nil, DrawingBusy
	}
}

// draw waits for the turn of a caller that has entered. If the context ends first, it
// returns its error, and the given file is not decoded.
func (d *drawing) draw(ctx context.Context, data []byte) ([]byte, error) {
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil { // the turn may come as the context ends
		return nil, err
	}
	return picture.Portrait(data)
}
