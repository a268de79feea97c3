package picture

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"testing"
)

// halves returns a picture, red on the left and blue on the right.
func halves(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			p.SetNRGBA(x, y, color.NRGBA{R: 255, A: 255})
			if x >= width/2 {
				p.SetNRGBA(x, y, color.NRGBA{B: 255, A: 255})
			}
		}
	}
	return p
}

func encoded(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// exif returns a JPEG that says how its camera was held.
func exif(data []byte, order binary.AppendByteOrder, mark string, held uint16) []byte {
	tiff := order.AppendUint32(append([]byte(mark), order.AppendUint16(nil, 42)...), 8)
	tiff = order.AppendUint16(tiff, 1)
	tiff = order.AppendUint16(order.AppendUint16(tiff, tagOrientation), 3)
	tiff = order.AppendUint16(order.AppendUint32(tiff, 1), held)
	tiff = append(tiff, 0, 0, 0, 0, 0, 0)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	segment = append(segment, "GPS of a home"...)
	out := append([]byte("\xff\xd8\xff\xe1"), binary.BigEndian.AppendUint16(nil, uint16(len(segment)+2))...)
	return append(append(out, segment...), data[2:]...)
}

// scans returns a JPEG that draws the whole picture n times.
func scans(t *testing.T, n int) []byte {
	t.Helper()
	data := encoded(t, func(w *bytes.Buffer) error { return jpeg.Encode(w, image.NewGray(image.Rect(0, 0, 16, 16)), nil) })
	first := bytes.Index(data, []byte("\xff\xda"))
	scan := bytes.Repeat(data[first:len(data)-2], n)
	return append(append(data[:first:first], scan...), "\xff\xd9"...)
}

func TestPortrait_DrawsAgain(t *testing.T) {
	t.Parallel()
	wide := halves(600, 200)
	inJPEG := encoded(t, func(w *bytes.Buffer) error { return jpeg.Encode(w, wide, nil) })
	type place struct{ x, y int }
	left, right, top, bottom := place{5, 128}, place{250, 128}, place{128, 5}, place{128, 250}
	for name, c := range map[string]struct {
		data      []byte
		red, blue place
	}{
		"PNG":                 {encoded(t, func(w *bytes.Buffer) error { return png.Encode(w, wide) }), left, right},
		"GIF":                 {encoded(t, func(w *bytes.Buffer) error { return gif.Encode(w, wide, nil) }), left, right},
		"JPEG":                {inJPEG, left, right},
		"JPEG, upside down":   {exif(inJPEG, binary.BigEndian, "MM", 3), right, left},
		"JPEG, turned right":  {exif(inJPEG, binary.LittleEndian, "II", 6), top, bottom},
		"JPEG, turned left":   {exif(inJPEG, binary.BigEndian, "MM", 8), bottom, top},
		"JPEG, no such angle": {exif(inJPEG, binary.BigEndian, "MM", 9), left, right},
	} {
		out, err := Portrait(c.data)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		drawn, err := jpeg.Decode(bytes.NewReader(out))
		if err != nil || drawn.Bounds() != image.Rect(0, 0, portraitSide, portraitSide) || bytes.Contains(out, []byte("GPS")) || bytes.Contains(out, []byte("Exif")) {
			t.Errorf("%s: %v, %v", name, drawn.Bounds(), err)
			continue
		}
		if r, _, b, _ := drawn.At(c.red.x, c.red.y).RGBA(); r < 0xe000 || b > 0x2000 {
			t.Errorf("%s: not red where it should be", name)
		}
		if r, _, b, _ := drawn.At(c.blue.x, c.blue.y).RGBA(); b < 0xe000 || r > 0x2000 {
			t.Errorf("%s: not blue where it should be", name)
		}
	}
	if _, err := Portrait(scans(t, maxScans)); err != nil {
		t.Errorf("a JPEG in several passes: %v", err)
	}
	clear := encoded(t, func(w *bytes.Buffer) error { return png.Encode(w, image.NewNRGBA(image.Rect(0, 0, 9, 9))) })
	out, err := Portrait(clear)
	if err != nil {
		t.Fatal(err)
	}
	drawn, err := jpeg.Decode(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	if r, g, b, _ := drawn.At(9, 9).RGBA(); r < 0xf000 || g < 0xf000 || b < 0xf000 {
		t.Error("what is transparent is not white")
	}
}

func TestPortrait_Refuses(t *testing.T) {
	t.Parallel()
	small := encoded(t, func(w *bytes.Buffer) error { return png.Encode(w, halves(8, 8)) })
	inJPEG := encoded(t, func(w *bytes.Buffer) error { return jpeg.Encode(w, halves(64, 64), nil) })
	bomb := bytes.Clone(small)
	binary.BigEndian.PutUint32(bomb[16:], 40_000)
	binary.BigEndian.PutUint32(bomb[20:], 40_000)
	for name, data := range map[string][]byte{
		"nothing":         nil,
		"text":            []byte("hello"),
		"SVG":             []byte(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>`),
		"HTML":            []byte("<!doctype html><script>alert(1)</script>"),
		"a cut PNG":       small[:40],
		"a cut JPEG":      inJPEG[:len(inJPEG)/2],
		"many bytes":      append(bytes.Clone(small), make([]byte, PortraitBytes)...),
		"many pixels":     bomb,
		"WebP":            []byte(webpPixel),
		"GIF of nothing":  []byte("GIF89a\x00\x00\x00\x00\x00\x00\x00;"),
		"a sound in RIFF": []byte("RIFF\x24\x00\x00\x00WAVEfmt "),
		"many scans":      scans(t, maxScans+1),
		"one pixel more": encoded(t, func(w *bytes.Buffer) error {
			return png.Encode(w, image.NewGray(image.Rect(0, 0, portraitPixels+1, 1)))
		}),
		"BMP": []byte("BM\x3a\x00\x00\x00\x00\x00\x00\x00"),
	} {
		if out, err := Portrait(data); !errors.Is(err, ErrUnusable) || out != nil {
			t.Errorf("%s: %d bytes, %v", name, len(out), err)
		}
	}
	// Data after a picture is not kept, so no other file hides in it.
	out, err := Portrait(append(small, "<script>alert(1)</script>"...))
	if err != nil || bytes.Contains(out, []byte("script")) {
		t.Errorf("%v", err)
	}
}

func FuzzPortrait(f *testing.F) {
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00"))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM\x00\x2a\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		out, err := Portrait(data)
		if (err == nil) != (len(out) > 0) {
			t.Errorf("%d bytes, %v", len(out), err)
		}
	})
}
