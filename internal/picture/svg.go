package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

const (
	svgSpace   = "http://www.w3.org/2000/svg"
	xlinkSpace = "http://www.w3.org/1999/xlink"
	htmlSpace  = "http://www.w3.org/1999/xhtml"

	maxDepth = 64
)

// elements are the elements of SVG 2 that draw, and none that runs, loads or
// links.
var elements = strings.Fields(`svg g defs symbol use title desc style switch marker mask pattern clipPath
	path rect circle ellipse line polyline polygon text tspan textPath
	linearGradient radialGradient stop filter feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix
	feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur
	feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence`)

var (
	attributeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`)
	// functions of CSS and of transform lists that load nothing
	functionForm = regexp.MustCompile(`(?i)([a-z][a-z0-9-]*)\s*\(`)
	harmless     = strings.Fields("rgb rgba hsl hsla calc var matrix translate translatex translatey rotate scale scalex scaley skewx skewy")
	ownURL       = regexp.MustCompile(`(?i)url\(\s*["']?#[A-Za-z0-9_.:-]+["']?\s*\)`)
)

// sanitize writes an SVG again from the elements and attributes that only draw.
// It drops comments, metadata and the marks of drawing programs. It refuses what
// would run or load, because the picture would lack something without it.
func sanitize(data []byte) ([]byte, error) {
	var out bytes.Buffer
	d := xml.NewDecoder(bytes.NewReader(data))
	d.CharsetReader = func(string, io.Reader) (io.Reader, error) {
		return nil, errors.New("save it in UTF-8")
	}
	var open []string
	var style []byte // the text of the open style element, which markup may split
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, errors.New("is not well-formed SVG: save it again as plain SVG in UTF-8")
		}
		switch t := token.(type) {
		case xml.Directive:
			if bytes.ContainsRune(t, '[') {
				return nil, errors.New("declares entities: save it again as plain SVG")
			}
		case xml.StartElement:
			if isStyle(open) {
				return nil, fmt.Errorf("has the element <%.32s> in a style: remove it, or save the picture as PNG", t.Name.Local)
			}
			drop, err := write(&out, t, len(open))
			if err != nil {
				return nil, err
			}
			if drop {
				if err := d.Skip(); err != nil {
					return nil, errors.New("is not well-formed SVG: save it again as plain SVG in UTF-8")
				}
				continue
			}
			open = append(open, t.Name.Local)
		case xml.EndElement:
			if isStyle(open) {
				if err := stillSheet(string(style)); err != nil {
					return nil, err
				}
				style = nil
			}
			open = open[:len(open)-1]
			out.WriteString("</" + t.Name.Local + ">")
		case xml.CharData:
			if isStyle(open) {
				style = append(style, t...)
			}
			if len(open) > 0 {
				_ = xml.EscapeText(&out, t) // writing to a buffer cannot fail
			}
		}
	}
	if out.Len() == 0 {
		return nil, errors.New("is not well-formed SVG: save it again as plain SVG in UTF-8")
	}
	return out.Bytes(), nil
}

// write writes the start of an element. drop reports whether to leave the
// element out with all that it contains.
func write(out *bytes.Buffer, t xml.StartElement, depth int) (drop bool, err error) {
	name := t.Name.Local
	ours := t.Name.Space == svgSpace || t.Name.Space == ""
	switch {
	case depth == 0 && (!ours || name != "svg" || out.Len() > 0):
		return false, errors.New("is not one SVG picture: save it again as plain SVG")
	case depth >= maxDepth:
		return false, fmt.Errorf("nests more than %d elements: save it again as plain SVG", maxDepth)
	case t.Name.Space == htmlSpace:
		return false, fmt.Errorf("has the element <%.32s> of HTML: remove it, or save the picture as PNG", name)
	case !ours || name == "metadata":
		return true, nil
	case !slices.Contains(elements, name):
		return false, fmt.Errorf("has the element <%.32s>, which could run or load something: remove it, or save the picture as PNG", name)
	}
	out.WriteString("<" + name)
	if depth == 0 {
		out.WriteString(` xmlns="` + svgSpace + `"`)
	}
	written := map[string]bool{}
	for _, a := range t.Attr {
		kept, err := attribute(a)
		if err != nil {
			return false, err
		}
		if kept == "" || written[kept] { // href and xlink:href are one
			continue
		}
		written[kept] = true
		out.WriteString(" " + kept + `="`)
		_ = xml.EscapeText(out, []byte(a.Value)) // writing to a buffer cannot fail
		out.WriteString(`"`)
	}
	if depth == 0 && !written["viewBox"] && !(written["width"] && written["height"]) {
		return false, errors.New("has no size: add a viewBox to its svg element")
	}
	out.WriteString(">")
	return false, nil
}

// attribute returns the name under which an attribute is kept, "" for one that is
// left out.
func attribute(a xml.Attr) (string, error) {
	name := a.Name.Local
	switch {
	case a.Name.Space == xlinkSpace && name == "href":
	case a.Name.Space != "" || name == "xmlns" || !attributeForm.MatchString(name):
		return "", nil
	}
	lower := strings.ToLower(name)
	switch {
	case strings.HasPrefix(lower, "on"):
		return "", fmt.Errorf("has the attribute %.32s, which runs a script: remove it", name)
	case lower == "href" && !strings.HasPrefix(a.Value, "#"):
		return "", errors.New("points to another file: keep only href=\"#...\", or save the picture as PNG")
	case strings.HasPrefix(lower, "aria-") || strings.HasPrefix(lower, "data-"):
		return name, nil // text
	case lower == "src" || lower == "base":
		return "", fmt.Errorf("has the attribute %s, which points to another file: remove it", name)
	}
	return name, still(a.Value)
}

// isStyle reports whether the innermost of the open elements is a style.
func isStyle(open []string) bool { return len(open) > 0 && open[len(open)-1] == "style" }

// stillSheet refuses a style sheet that loads something.
func stillSheet(text string) error {
	if strings.Contains(text, "@") {
		return errors.New("has a style with an @ rule: remove it, or save the picture as PNG")
	}
	return still(text)
}

// still refuses a value of an attribute or a style sheet that loads something.
func still(value string) error {
	const advice = "remove it, or save the picture as PNG"
	rest := ownURL.ReplaceAllString(value, "")
	if strings.ContainsRune(rest, '\\') {
		return errors.New("has an escape in a style: " + advice)
	}
	for _, f := range functionForm.FindAllStringSubmatch(rest, -1) {
		if !slices.Contains(harmless, strings.ToLower(f[1])) {
			return fmt.Errorf("uses %.32s(...), which could load something: %s", f[1], advice)
		}
	}
	return nil
}
