package brand

import "fmt"

// gradient is what the main button, the word logo and the strip of emails show.
type gradient struct{ from, to colour }

// at returns the color at a part of the way, as browsers mix it in sRGB.
func (g gradient) at(part float64) colour {
	return rounded(colour{
		R: g.from.R + (g.to.R-g.from.R)*part,
		G: g.from.G + (g.to.G-g.from.G)*part,
		B: g.from.B + (g.to.B-g.from.B)*part,
	})
}

// least returns the lowest contrast that a color has anywhere on the gradient.
func (g gradient) least(c colour) float64 {
	const parts = 32
	lowest := 21.0
	for i := range parts + 1 {
		lowest = min(lowest, contrast(c, g.at(float64(i)/parts)))
	}
	return lowest
}

func (g gradient) css() string {
	return fmt.Sprintf("linear-gradient(135deg,%s,%s)", g.from.Hex(), g.to.Hex())
}

// label returns the color of the label on the gradient: white where that can be
// read, else a dark one. It returns false if neither can be read everywhere.
func (g gradient) label() (colour, bool) {
	for _, c := range []colour{hex(white), hex(ink)} {
		if g.least(c) >= large {
			return c, true
		}
	}
	return hex(white), false
}

// specified reports whether this is the gradient of the specification. White has
// only 2.37:1 on its first stop. The label stays off that end: a narrow button
// shows the right part of the gradient.
func (g gradient) specified() bool { return g == gradient{hex(blueFrom), hex(blue)} }

// shade returns the gradient of a color without one of its own: from a lighter
// tone to the color.
func shade(c colour) gradient {
	const up = 0.1
	l, chroma, _ := c.OkLch()
	from := tone(c, min(l+up, 1), chroma)
	from, _ = towards(from, -step, func(t colour) bool { return contrast(hex(white), t) >= large })
	return gradient{from, c}
}

// check returns what is wrong with a gradient, nil if its label can be read.
func (g gradient) check() *Mistake {
	if _, ok := g.label(); ok || g.specified() {
		return nil
	}
	for _, stop := range []colour{g.from, g.to} {
		if r := contrast(hex(white), stop); r < large {
			pass := nearest(stop, func(t colour) bool { return contrast(hex(white), t) >= large })
			return &Mistake{
				"gradient", fmt.Sprintf("the white label of the button has only %s on %s and needs 3:1 (a dark label cannot be read on all of this gradient)", ratio(r), stop.Hex()),
				fmt.Sprintf("write %s in its place, the nearest that passes", pass.Hex()),
			}
		}
	}
	return nil // white on both ends has 3:1, so it has it between them
}
