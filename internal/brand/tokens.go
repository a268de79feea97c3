package brand

import (
	"fmt"
	"strings"
)

// The default look, as in web/src/ui/tokens.css. TestDefaults compares them.
const (
	blueFrom = "#03b4f6"
	blue     = "#1a4ab8"
	white    = "#ffffff"
	ink      = "#131b2b"
	page     = "#f3f5f8"
	card     = "#ffffff"

	darkPage = "#10141b"
	darkCard = "#1a2029"
)

// DefaultRadius is in pixels at the normal text size.
const DefaultRadius = 10

// accents are the tones of the brand's color in one scheme.
type accents struct{ text, strong, tint, line colour }

// light returns the tones on light ground. The color itself is the text.
func light(c colour) accents {
	if c == hex(blue) {
		return accents{c, hex("#143a91"), hex("#eef3fd"), hex("#c5d5f7")}
	}
	l, chroma, _ := c.OkLch()
	return accents{c, tone(c, max(l-0.07, 0), chroma), tone(c, 0.964, 0.015), tone(c, 0.875, 0.055)}
}

// dark returns the tones on dark ground.
func dark(c colour) accents {
	l, chroma, _ := c.OkLch()
	a := accents{tint: tone(c, 0.285, 0.045), line: tone(c, 0.42, 0.08)}
	const comfortable = 5.5 // more than the rule: thin light text glows less
	a.text, _ = towards(tone(c, l, min(chroma, 0.15)), step, func(t colour) bool {
		return least(t, hex(darkPage), hex(darkCard), a.tint) >= comfortable
	})
	l, chroma, _ = a.text.OkLch()
	a.strong = tone(c, min(l+0.07, 1), chroma)
	return a
}

// neutrals are the tokens of the dark scheme that no brand changes.
const neutrals = "--page:" + darkPage + ";--card:" + darkCard + ";" +
	"--text:#eef1f6;--muted:#a9b3c1;--line:#2d3643;--field-line:#76828f;--edge:#475363;--raised:#212935;--placeholder:#93a0b0;--idle:#667384;" +
	"--danger:#ff9c92;--danger-tint:#3a1d1c;--danger-line:#7a3a35;--danger-text:#ffd0cb;" +
	"--success:#62d69d;--success-tint:#15302a;--success-line:#2c5c49;--warning:#eaa54f;"

func (a accents) css() string {
	return fmt.Sprintf("--accent:%s;--accent-strong:%s;--accent-tint:%s;--accent-line:%s;", a.text.Hex(), a.strong.Hex(), a.tint.Hex(), a.line.Hex())
}

// style returns the style sheet that changes the tokens, "" for the default.
func (t *Theme) style() string {
	var own strings.Builder
	if t.colour != hex(blue) {
		own.WriteString(light(t.colour).css())
	}
	if !t.gradient.specified() {
		own.WriteString("--gradient:" + t.gradient.css() + ";--label:" + t.label.Hex() + ";")
		if min(contrast(t.gradient.from, hex(page)), contrast(t.gradient.to, hex(page))) < large {
			own.WriteString("--word:linear-gradient(var(--accent),var(--accent));")
		}
	}
	if t.radius != DefaultRadius {
		fmt.Fprintf(&own, "--radius:%grem;", float64(t.radius)/16)
	}
	var all strings.Builder
	if t.Font != nil {
		all.WriteString(t.Font.faces())
		own.WriteString(t.Font.token())
	}
	night := neutrals + dark(t.colour).css() + "--word:linear-gradient(135deg,var(--accent),var(--accent-strong));"
	switch t.scheme {
	case Dark:
		all.WriteString(":root{" + own.String() + night + "color-scheme:dark}")
	case Auto:
		all.WriteString(":root{" + own.String() + "color-scheme:light dark}@media (prefers-color-scheme:dark){:root{" + night + "}")
		if t.Logo != nil && t.LogoDark != nil {
			all.WriteString(`header img{content:url("` + t.LogoDark.Path + `")}`)
		}
		all.WriteString("}")
	default:
		if own.Len() > 0 {
			all.WriteString(":root{" + own.String() + "}")
		}
	}
	return all.String()
}
