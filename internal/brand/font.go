package brand

import (
	"errors"
	"fmt"

	"portico/internal/file"
)

const (
	woff2Type = "font/woff2"

	maxFont = 512 << 10 // bytes
)

// Font is the operator's font, with what a stand-in needs that takes the same
// space until the font is there.
type Font struct {
	file     *File
	weights  string  // "400", or "100 900" of a variable font
	adjust   float64 // width of the font's text against the same text in Arial
	ascent   float64 // parts of the font size
	descent  float64
	gapLines float64
}

func openFont(path string) (*Font, error) {
	data, err := file.Read(path, maxFont)
	if size, large := errors.AsType[file.TooLarge](err); large {
		return nil, fmt.Errorf("has %d bytes: use a font of at most %d bytes, with the letters of your languages alone", size, maxFont)
	}
	if err != nil {
		return nil, errors.New("cannot be read: write the path of a file that this user can read")
	}
	return parseFont(data)
}

// parseFont reads the measures of a WOFF2 file.
func parseFont(data []byte) (*Font, error) {
	tables, err := readWOFF2(data)
	if err != nil {
		return nil, err
	}
	m, err := tables.measure()
	if err != nil {
		return nil, err
	}
	adjust := m.width / arialWidth
	f := &Font{
		file: newFile(woff2Type, data), adjust: adjust, weights: m.weights,
		ascent: m.ascent / adjust, descent: m.descent / adjust, gapLines: m.gap / adjust,
	}
	return f, nil
}

// faces returns the rules for the font and its stand-in. The stand-in is shown
// while the font loads. It takes the same space, so that nothing moves
// when the font replaces it.
func (f *Font) faces() string {
	return fmt.Sprintf(`@font-face{font-family:Brand;src:url("%s") format("woff2");font-weight:%s;font-display:swap}`, f.file.Path, f.weights) +
		fmt.Sprintf(`@font-face{font-family:Stand-in;src:local("Arial"),local("Liberation Sans"),local("Arimo");size-adjust:%.2f%%;ascent-override:%.2f%%;descent-override:%.2f%%;line-gap-override:%.2f%%}`,
			f.adjust*100, f.ascent*100, f.descent*100, f.gapLines*100)
}

// token returns the token with the name of the font.
func (f *Font) token() string { return "--font:Brand,Stand-in,-apple-system;" }
