package flow

import (
	"context"
	"time"

	"portico/internal/fault"
	"portico/internal/picture"
)

const (
	// drawingRoom is how many portraits may be read, wait or be drawn, each of another
	// account. Each holds its file in memory.
	drawingRoom = 10
	// drawingPause is after how long a portrait without a place may be given again.
	drawingPause = 5 * time.Second
)

// DrawingBusy means that the account gives another portrait already, or that too many others do.
var DrawingBusy = fault.New(fault.Unavailable, fault.CodeUnavailable).WithRetryAfter(drawingPause)

// drawing draws one portrait at a time, and lets few wait for it: a decoded
// picture needs much memory. It is safe for concurrent use.
type drawing struct {
	room *turns        // of the accounts that give a portrait
	turn chan struct{} // one for the portrait that is drawn
}

func newDrawing() *drawing {
	return &drawing{room: newTurns(drawingRoom), turn: make(chan struct{}, 1)}
}

// draw waits for its turn. If the context ends first, it returns its error, and the
// given file is not decoded.
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
