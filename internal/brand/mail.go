package brand

import "portico/internal/picture"

// maxMailLogo is in bytes. Each email carries the logo.
const maxMailLogo = 32 << 10

// Mail is how emails look. Its colors are "#rrggbb". Mail programs know no tokens,
// so an email has each value in place. The dark ones are for readers in a
// dark scheme.
type Mail struct {
	Name, DarkName             string // the name at the top
	From, To, Strip            string // gradient at the top of the card, and its color for programs without gradients
	ButtonFrom, ButtonTo, Flat string // the same for the main button
	Label                      string // on that button
	Link, Line                 string // of the second button
	DarkLink                   string
	Box, BoxLine               string // around the code
	Radius, CardRadius, Corner int    // in pixels; Corner belongs to the strip

	Logo, LogoDark *File // PNG; nil for the name
}

// Mail returns how emails look.
func (t *Theme) Mail() Mail {
	m := Mail{
		Name: blue, DarkName: "#6fc8ff", From: blueFrom, To: blue, Strip: "#0f80d7",
		ButtonFrom: "#0a78d0", ButtonTo: blue, Flat: "#1565c8", Label: white,
		Link: blue, Line: "#b9cbe6", DarkLink: "#8fd0ff", Box: "#f0f6fd", BoxLine: "#d3e4f7",
	}
	if t.colour != hex(blue) {
		day, night := light(t.colour), dark(t.colour)
		m.Name, m.Link, m.Line = t.colour.Hex(), t.colour.Hex(), day.line.Hex()
		m.DarkName, m.DarkLink = night.text.Hex(), night.text.Hex()
		m.Box, m.BoxLine = day.tint.Hex(), day.line.Hex()
	}
	if !t.gradient.specified() {
		g := t.gradient
		m.From, m.To, m.Strip = g.from.Hex(), g.to.Hex(), g.at(0.5).Hex()
		// The label is smaller than on a page, so it needs more contrast. The
		// color itself has it, because links do.
		m.ButtonFrom, m.ButtonTo, m.Flat = t.colour.Hex(), t.colour.Hex(), t.colour.Hex()
		if g.least(t.label) >= readable {
			m.ButtonFrom, m.ButtonTo, m.Flat, m.Label = m.From, m.To, m.Strip, t.label.Hex()
		}
	}
	m.Radius, m.CardRadius = t.radius, t.radius*14/DefaultRadius
	m.Corner = max(m.CardRadius-1, 0) // inside the border
	m.Logo, m.LogoDark = mailed(t.Logo), mailed(t.LogoDark)
	if m.Logo == nil {
		m.LogoDark = nil
	}
	return m
}

// mailed returns a logo that mail programs can show.
func mailed(f *File) *File {
	if f == nil || f.Type != picture.PNG || len(f.Data) > maxMailLogo {
		return nil
	}
	return f
}

// Scaled returns the width of a picture that is shown with a height.
func (f *File) Scaled(height int) int { return max(f.Width*height/max(f.Height, 1), 1) }
