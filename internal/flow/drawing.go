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

// draw returns DrawingBusy without a place to wait, or the error of a context that
// ends first. The given file is not decoded then.
func (d *drawing) draw(ctx context.Context, given []byte) ([]byte, error) {
	select {
	case d.room <- struct{}{}:
		defer func() { <-d.room }()
	default:
		return nil, DrawingBusy
	}
	select {
	case d.turn <- struct{}{}:
		defer func() { <-d.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if err := ctx.Err(); err != nil { // the turn may come as the context ends
		return nil, err
	}
	return picture.Portrait(given)
}
