package flow

import (
	"context"

	"portico/internal/account"
	"portico/internal/audit"
)

// Post posts an email of a template to the owner of an account.
func (f *core) Post(ctx context.Context, tx Tx, template string, owner account.Account) error {
	return f.post(ctx, tx, Caller{}, email{template: template, owner: &owner})
}

// HoldDrawing takes the turn to draw a portrait until release is called.
func (f *core) HoldDrawing() (release func()) {
	f.drawing.turn <- struct{}{}
	return func() { <-f.drawing.turn }
}

// DrawingRoom is how many accounts may enter.
const DrawingRoom = drawingRoom

// Draw is what SetPortrait draws with.
var Draw = (*drawing).draw

// NewDrawing is what New draws with.
var NewDrawing = newDrawing

// NewActor returns an Actor with a name.
func NewActor(name string) Actor { return Actor{name: name, caller: Caller{Locale: "en"}} }

// EventsOf returns the types of the events of a record.
func EventsOf(f audit.Fact) []string { return eventsOf(f) }
