package brand

import (
	"fmt"
	"math"

	"github.com/lucasb-eyer/go-colorful"
)

// colour is a color of sRGB.
type colour = colorful.Color

const (
	readable = 4.5 // text (WCAG 2.2, 1.4.3)
	large    = 3.0 // large bold text, as on the main button; focus rings (1.4.11)

	step = 0.002 // of the lightness in OKLCH, 0 to 1
)

// hex reads a color that is known to be "#rrggbb".
func hex(s string) colour {
	c, err := colorful.Hex(s)
	if err != nil {
		panic(err) // a constant, or checked by New
	}
	return c
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(c colour) float64 {
	linear := func(v float64) float64 {
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// contrast is the contrast ratio of WCAG 2.2, 1 to 21.
func contrast(a, b colour) float64 {
	l, m := luminance(a), luminance(b)
	return (max(l, m) + 0.05) / (min(l, m) + 0.05)
}

// least returns the lowest contrast of a color against several grounds.
func least(c colour, grounds ...colour) float64 {
	lowest := 21.0
	for _, g := range grounds {
		lowest = min(lowest, contrast(c, g))
	}
	return lowest
}

// tone returns a color of this lightness and at most this chroma, with the hue of
// c, rounded to what "#rrggbb" can express. It reduces the chroma until sRGB has
// the color.
func tone(c colour, lightness, chroma float64) colour {
	_, own, hue := c.OkLch()
	for chroma = min(own, chroma); chroma > 0; chroma -= 0.001 {
		if t := colorful.OkLch(lightness, chroma, hue); t.IsValid() {
			return rounded(t)
		}
	}
	return rounded(colorful.OkLch(lightness, 0, hue).Clamped())
}

func rounded(c colour) colour { return hex(c.Hex()) }

// towards changes the lightness of c in small steps until the result is good.
// It returns false if no lightness is.
func towards(c colour, by float64, good func(colour) bool) (colour, bool) {
	l, chroma, _ := c.OkLch()
	if good(c) {
		return c, true
	}
	for l += by; l >= 0 && l <= 1; l += by {
		if t := tone(c, l, chroma); good(t) {
			return t, true
		}
	}
	return colour{}, false
}

// nearest returns the color that is good and differs least from c.
func nearest(c colour, good func(colour) bool) colour {
	darker, isDarker := towards(c, -step, good)
	lighter, isLighter := towards(c, step, good)
	if isLighter && (!isDarker || c.DistanceLab(lighter) < c.DistanceLab(darker)) {
		return lighter
	}
	return darker
}

// ratio writes a contrast. It rounds down, so that 4.499 is not shown as 4.5.
func ratio(r float64) string { return fmt.Sprintf("%.2f:1", math.Floor(r*100)/100) }
