package brand

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// measures are the sizes that lines and words of a font take, in parts of the font
// size.
type measures struct {
	width                float64 // of an average character of text
	ascent, descent, gap float64
	weights              string
}

// often says how many of a thousand characters of English text are this one.
// Other languages in Latin letters differ by little.
var often = map[rune]int{
	' ': 180, 'e': 102, 't': 74, 'a': 66, 'o': 62, 'i': 57, 'n': 57, 's': 52, 'h': 50, 'r': 49, 'd': 35, 'l': 33, 'c': 23, 'u': 23,
	'm': 20, 'w': 19, 'f': 18, 'g': 16, 'y': 16, 'p': 16, 'b': 12, 'v': 8, 'k': 6, 'j': 1, 'x': 1, 'q': 1, 'z': 1,
}

// arialWidth is the width of an average character of Arial, from its advance
// widths: 278 thousandths for the space, 556 for "e" and so on.
const arialWidth = 0.4415

// measure reads the measures (OpenType 1.9: head, hhea, hmtx, cmap, fvar, OS/2).
func (t tables) measure() (measures, error) {
	head, hhea, os2 := t.data["head"], t.data["hhea"], t.data["OS/2"]
	if len(head) < 54 || len(hhea) < 36 || len(os2) < 6 {
		return measures{}, errBroken
	}
	units := float64(binary.BigEndian.Uint16(head[18:]))
	if units == 0 {
		return measures{}, errBroken
	}
	signed := func(at int) float64 { return float64(int16(binary.BigEndian.Uint16(hhea[at:]))) / units }
	m := measures{ascent: signed(4), descent: -signed(6), gap: signed(8)}
	m.weights = t.weights(int(binary.BigEndian.Uint16(os2[4:])))
	count := int(binary.BigEndian.Uint16(hhea[34:]))
	sum, weight := 0, 0
	for char, n := range often {
		glyph := t.glyph(char)
		advance, ok := t.advance(glyph, count)
		if glyph == 0 || !ok {
			return measures{}, errors.New("has not all Latin letters: use a font for text")
		}
		sum += n * advance
		weight += n
	}
	m.width = float64(sum) / float64(weight) / units
	if m.width <= 0.1 || m.width > 2 || m.ascent <= 0 || m.ascent > 3 || m.descent < 0 || m.descent > 2 || m.gap < 0 || m.gap > 2 {
		return measures{}, errBroken
	}
	return m, nil
}

// weights returns the weights that a font has, as CSS writes them.
func (t tables) weights(own int) string {
	fvar := t.data["fvar"]
	if len(fvar) >= 16 {
		at, count, size := int(binary.BigEndian.Uint16(fvar[4:])), int(binary.BigEndian.Uint16(fvar[8:])), int(binary.BigEndian.Uint16(fvar[10:]))
		for i := range count {
			axis := at + i*size
			if axis+16 > len(fvar) {
				break
			}
			if string(fvar[axis:axis+4]) == "wght" {
				return fmt.Sprintf("%d %d", clampWeight(int(binary.BigEndian.Uint16(fvar[axis+4:]))), clampWeight(int(binary.BigEndian.Uint16(fvar[axis+12:]))))
			}
		}
	}
	return fmt.Sprint(clampWeight(own))
}

func clampWeight(w int) int { return min(max(w, 1), 1000) }

// advance returns the width of a glyph. The transformed table has all widths
// together (W3C WOFF2, 5.4).
func (t tables) advance(glyph, count int) (int, bool) {
	hmtx := t.data["hmtx"]
	at := 4 * min(glyph, count-1)
	if t.transformed["hmtx"] {
		at = 1 + 2*min(glyph, count-1)
	}
	if at < 0 || at+2 > len(hmtx) {
		return 0, false
	}
	return int(binary.BigEndian.Uint16(hmtx[at:])), true
}

// glyph returns the glyph of a character in a segment map (format 4), 0 if it has
// none. Every font for Windows has such a map for the Basic Multilingual Plane.
func (t tables) glyph(char rune) int {
	cmap := t.data["cmap"]
	if len(cmap) < 4 {
		return 0
	}
	for i := range int(binary.BigEndian.Uint16(cmap[2:])) {
		record := 4 + 8*i
		if record+8 > len(cmap) {
			return 0
		}
		at := int(binary.BigEndian.Uint32(cmap[record+4:]))
		if at+14 <= len(cmap) && binary.BigEndian.Uint16(cmap[at:]) == 4 {
			if g := segmentGlyph(cmap[at:], int(char)); g != 0 {
				return g
			}
		}
	}
	return 0
}

func segmentGlyph(m []byte, char int) int {
	word := func(at int) int {
		if at < 0 || at+2 > len(m) {
			return 0
		}
		return int(binary.BigEndian.Uint16(m[at:]))
	}
	double := word(6) // twice the number of segments
	for i := 0; i < double; i += 2 {
		end, start := word(14+i), word(16+double+i)
		if char > end {
			continue
		}
		if char < start {
			return 0
		}
		delta, offset := word(16+2*double+i), word(16+3*double+i)
		if offset == 0 {
			return (char + delta) & 0xffff
		}
		g := word(16 + 3*double + i + offset + 2*(char-start))
		if g == 0 {
			return 0
		}
		return (g + delta) & 0xffff
	}
	return 0
}
