// Package picture owns the pictures that an operator gives: it recognizes them
// by their content, limits them, and rewrites an SVG so that nothing in it runs
// or loads. It also draws the portraits that users give.
//
// Invariants:
//   - Open returns only a PNG, a WebP or an SVG whose header or syntax it has read.
//   - An SVG that it returns was written by this package from the parts that it
//     knows. It contains no script, no handler and no address outside itself.
//   - Portrait returns a JPEG that this package has drawn.
//
// It does not read settings, and it does not speak HTTP.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"slices"

	"golang.org/x/image/webp"

	"portico/internal/file"
)

// Types of pictures.
const (
	PNG  = "image/png"
	WebP = "image/webp"
	SVG  = "image/svg+xml"
)

// Policy is the Content-Security-Policy for a picture that is opened by itself.
const Policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

// maxSide is in pixels. A larger PNG or WebP of few bytes could take all memory
// of a browser.
const maxSide = 4096

// Picture is a picture that may be shown.
type Picture struct {
	Type          string
	Data          []byte
	Width, Height int // of a PNG or WebP
}

// Limit is what a picture may be.
type Limit struct {
	Bytes int
	Types []string
}

// Open reads the picture in a file. Its errors follow the file's path in a
// message, and say what to do after a colon.
func Open(path string, limit Limit) (*Picture, error) {
	data, err := file.Read(path, int64(limit.Bytes))
	if size, large := errors.AsType[file.TooLarge](err); large {
		return nil, fmt.Errorf("has %d bytes: use a picture of at most %d bytes", size, limit.Bytes)
	}
	if err != nil {
		return nil, errors.New("cannot be read: write the path of a file that this user can read")
	}
	return Parse(data, limit)
}

// Parse reads a picture.
func Parse(data []byte, limit Limit) (*Picture, error) {
	p, err := recognize(data)
	switch {
	case len(data) > limit.Bytes:
		return nil, fmt.Errorf("has %d bytes: use a picture of at most %d bytes", len(data), limit.Bytes)
	case err != nil:
		return nil, err
	case !slices.Contains(limit.Types, p.Type):
		return nil, fmt.Errorf("is %s: save it as %s", p.Type, words(limit.Types))
	case p.Width > maxSide || p.Height > maxSide:
		return nil, fmt.Errorf("has %d by %d pixels: use at most %d in each direction", p.Width, p.Height, maxSide)
	}
	return p, nil
}

func words(types []string) string {
	names := map[string]string{PNG: "PNG", WebP: "WebP", SVG: "SVG"}
	var all string
	for i, t := range types {
		switch {
		case i == 0:
		case i == len(types)-1:
			all += " or "
		default:
			all += ", "
		}
		all += names[t]
	}
	return all
}

func recognize(data []byte) (*Picture, error) {
	var config image.Config
	var err error
	kind := ""
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		kind = PNG
		config, err = png.DecodeConfig(bytes.NewReader(data))
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		kind = WebP
		config, err = webp.DecodeConfig(bytes.NewReader(data))
	case bytes.Contains(data, []byte("<svg")):
		clean, err := sanitize(data)
		if err != nil {
			return nil, err
		}
		return &Picture{Type: SVG, Data: clean}, nil
	default:
		return nil, errors.New("is not a picture of a known kind: save it as PNG or SVG")
	}
	if err != nil {
		return nil, errors.New("is damaged: save it again")
	}
	return &Picture{Type: kind, Data: data, Width: config.Width, Height: config.Height}, nil
}
