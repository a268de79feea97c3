package picture

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// The limits of the picture of a person, as it is given. The most memory, 76 MiB, was
// measured for a JPEG in several passes. One of four printing colors took 112 MiB.
const (
	PortraitBytes  = 2 << 20
	portraitPixels = 4 << 20
)

// maxScans is how many passes over the picture a JPEG may have. Each costs a walk
// over all of it, and a few bytes are enough for one. Programs write about ten.
const maxScans = 100

// portraitSide is the width and height of a portrait, in pixels.
const portraitSide = 256

// ErrUnusable means that the data is not a picture for a portrait: another kind, damaged,
// or too large.
var ErrUnusable = errors.New("no PNG, JPEG or GIF within the limits")

const jpegBegins = "\xff\xd8\xff"

// formats are the kinds of picture that a person may give, by how their data
// begins. SVG is not one of them, because it can run and load. Nor is WebP: its header
// may tell another size than the picture in it has.
var formats = []struct {
	begins []string
	config func(*bytes.Reader) (image.Config, error)
	decode func(*bytes.Reader) (image.Image, error)
}{
	{
		[]string{"\x89PNG\r\n\x1a\n"},
		func(r *bytes.Reader) (image.Config, error) { return png.DecodeConfig(r) },
		func(r *bytes.Reader) (image.Image, error) { return png.Decode(r) },
	},
	{
		[]string{jpegBegins},
		func(r *bytes.Reader) (image.Config, error) { return jpeg.DecodeConfig(r) },
		func(r *bytes.Reader) (image.Image, error) { return jpeg.Decode(r) },
	},
	{
		[]string{"GIF87a", "GIF89a"},
		func(r *bytes.Reader) (image.Config, error) { return gif.DecodeConfig(r) },
		func(r *bytes.Reader) (image.Image, error) { return gif.Decode(r) }, // the first picture of several
	},
}

// Portrait reads a picture that a person gives and draws it again: a square JPEG
// of its middle, without metadata and without anything else that the data held.
// It looks at the size before it decodes. Draw one at a time, to bound the memory.
func Portrait(data []byte) ([]byte, error) {
	if len(data) > PortraitBytes {
		return nil, ErrUnusable
	}
	for _, f := range formats {
		for _, begin := range f.begins {
			if !bytes.HasPrefix(data, []byte(begin)) {
				continue
			}
			config, err := f.config(bytes.NewReader(data))
			if err != nil || config.Width < 1 || config.Height < 1 || config.Width > portraitPixels/config.Height || config.ColorModel == color.CMYKModel {
				return nil, ErrUnusable
			}
			if bytes.Count(data, []byte("\xff\xda")) > maxScans && begin == jpegBegins {
				return nil, ErrUnusable
			}
			decoded, err := f.decode(bytes.NewReader(data))
			if err != nil || decoded.Bounds().Empty() {
				return nil, ErrUnusable
			}
			return square(decoded, turnOf(data))
		}
	}
	return nil, ErrUnusable
}

// square draws the middle of a picture on white, turned as its camera was held.
func square(from image.Image, turned turn) ([]byte, error) {
	middle := from.Bounds()
	if more := middle.Dx() - middle.Dy(); more > 0 {
		middle.Min.X += more / 2
		middle.Max.X = middle.Min.X + middle.Dy()
	} else {
		middle.Min.Y -= more / 2
		middle.Max.Y = middle.Min.Y + middle.Dx()
	}
	drawn := image.NewRGBA(image.Rect(0, 0, portraitSide, portraitSide))
	draw.Draw(drawn, drawn.Bounds(), image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.CatmullRom.Scale(drawn, drawn.Bounds(), from, middle, draw.Over, nil)
	var out bytes.Buffer
	if err := jpeg.Encode(&out, turned.apply(drawn), &jpeg.Options{Quality: 85}); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
