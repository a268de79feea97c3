package picture

import (
	"bytes"
	"encoding/binary"
	"image"
)

// turn says how a camera was held, as Exif numbers it: 1 upright, up to 8.
type turn uint16

const (
	tagOrientation = 0x0112
	maxTags        = 64 // of the first directory; cameras write about 12
)

// turnOf reads the orientation of a JPEG from its Exif data. It returns 1 for any
// other data, and where there is none that it understands.
func turnOf(data []byte) turn {
	const upright = 1
	if len(data) < 2 || data[0] != 0xff || data[1] != 0xd8 {
		return upright
	}
	for rest := data[2:]; len(rest) >= 4 && rest[0] == 0xff && rest[1] >= 0xe0; {
		size := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if size > len(rest) {
			return upright
		}
		if found, ok := bytes.CutPrefix(rest[4:size], []byte("Exif\x00\x00")); ok && rest[1] == 0xe1 {
			return firstDirectory(found)
		}
		rest = rest[size:]
	}
	return upright
}

// firstDirectory reads the orientation from the first directory of a TIFF.
func firstDirectory(tiff []byte) turn {
	const upright = 1
	var order binary.ByteOrder = binary.LittleEndian
	if bytes.HasPrefix(tiff, []byte("MM")) {
		order = binary.BigEndian
	}
	if len(tiff) < 8 {
		return upright
	}
	at := uint64(order.Uint32(tiff[4:]))
	if at+2 > uint64(len(tiff)) {
		return upright
	}
	tags := tiff[at+2:]
	for range min(int(order.Uint16(tiff[at:])), maxTags, len(tags)/12) {
		if order.Uint16(tags) == tagOrientation {
			if t := turn(order.Uint16(tags[8:])); t >= 1 && t <= 8 {
				return t
			}
			return upright
		}
		tags = tags[12:]
	}
	return upright
}

// apply returns a square picture as it was seen.
func (t turn) apply(from *image.RGBA) *image.RGBA {
	if t <= 1 {
		return from
	}
	last := from.Bounds().Dx() - 1
	to := image.NewRGBA(from.Bounds())
	for y := range last + 1 {
		for x := range last + 1 {
			fx, fy := x, y
			switch t {
			case 2:
				fx = last - x
			case 3:
				fx, fy = last-x, last-y
			case 4:
				fy = last - y
			case 5:
				fx, fy = y, x
			case 6:
				fx, fy = y, last-x
			case 7:
				fx, fy = last-y, last-x
			case 8:
				fx, fy = last-y, x
			}
			to.SetRGBA(x, y, from.RGBAAt(fx, fy))
		}
	}
	return to
}
