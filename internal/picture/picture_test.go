package picture

import (
	"bytes"
	"image"
	"image/png"
	"strings"
	"testing"
)

func all() Limit { return Limit{Bytes: 64 << 10, Types: []string{PNG, WebP, SVG}} }

const webpPixel = "RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x00\x00\x00\x10\x07\x10\x11\x11\x88\x88\xfe\x07\x00"

func TestParse(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 7, 5))); err != nil {
		t.Fatal(err)
	}
	var wide bytes.Buffer
	if err := png.Encode(&wide, image.NewGray(image.Rect(0, 0, maxSide+1, 1))); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data, kind, why string
	}{
		"PNG":          {data: picture.String(), kind: PNG},
		"WebP":         {data: webpPixel, kind: WebP},
		"SVG":          {data: `<svg viewBox="0 0 1 1"/>`, kind: SVG},
		"saved SVG":    {data: "\ufeff<?xml version=\"1.0\"?>\r\n<svg viewBox=\"0 0 1 1\"/>\r\n", kind: SVG},
		"JPEG":         {data: "\xff\xd8\xff\xe0", why: "save it as PNG or SVG"},
		"text":         {data: "logo", why: "not a picture"},
		"PNG in name":  {data: "\x89PNG\r\n\x1a\nxxxx", why: "damaged"},
		"wide":         {data: wide.String(), why: "4097 by 1 pixels"},
		"large":        {data: picture.String() + strings.Repeat("x", 64<<10), why: "bytes: use a picture of at most 65536"},
		"HTML and SVG": {data: `<html><svg viewBox="0 0 1 1"/></html>`, why: "not one SVG"},
	} {
		p, err := Parse([]byte(c.data), all())
		if c.why != "" {
			if err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("%s: got %v, want %s", name, err, c.why)
			}
			continue
		}
		if err != nil || p.Type != c.kind {
			t.Errorf("%s: got %+v, %v", name, p, err)
		}
	}
	if _, err := Parse(picture.Bytes(), Limit{Bytes: 1 << 10, Types: []string{WebP, SVG}}); err == nil || err.Error() != "is image/png: save it as WebP or SVG" {
		t.Errorf("got %v", err)
	}
}

func TestSVG(t *testing.T) {
	t.Parallel()
	svg := func(inner string) string { return `<svg viewBox="0 0 1 1">` + inner + `</svg>` }
	for name, c := range map[string]struct{ data, want, why string }{
		"drawing": {
			data: `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd"><!-- by hand --><svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" viewBox="0 0 1 1" inkscape:version="1"><metadata><x/></metadata><inkscape:page/><defs><path id="a" d="M0 0"/></defs><use xlink:href="#a" style="fill:url(#b)"/><style>.a{fill:rgb(1 2 3)}</style></svg>`,
			want: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><defs><path id="a" d="M0 0"></path></defs><use href="#a" style="fill:url(#b)"></use><style>.a{fill:rgb(1 2 3)}</style></svg>`,
		},
		"names in words":    {data: svg(`<g aria-label="Acme (b)"><title>A &lt;b&gt; (c)</title></g>`), want: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><g aria-label="Acme (b)"><title>A &lt;b&gt; (c)</title></g></svg>`},
		"script":            {data: svg(`<script>alert(1)</script>`), why: "<script>"},
		"script of XHTML":   {data: svg(`<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>`), why: "has the element <script> of HTML"},
		"XHTML":             {data: svg(`<g><p xmlns="http://www.w3.org/1999/xhtml">Acme</p></g>`), why: "has the element <p> of HTML"},
		"script in capital": {data: svg(`<SCRIPT/>`), why: "<SCRIPT>"},
		"HTML inside":       {data: svg(`<foreignObject/>`), why: "<foreignObject>"},
		"animation":         {data: svg(`<set attributeName="href" to="javascript:alert(1)"/>`), why: "<set>"},
		"link":              {data: svg(`<a href="#x"/>`), why: "<a>"},
		"picture":           {data: svg(`<image href="https://x.test/a.png"/>`), why: "<image>"},
		"handler":           {data: svg(`<g onclick="x"/>`), why: "onclick"},
		"handler, capital":  {data: svg(`<g ONload="x"/>`), why: "ONload"},
		"use elsewhere":     {data: svg(`<use href="https://x.test/a.svg#a"/>`), why: "another file"},
		"use, old":          {data: svg(`<use xmlns:l="http://www.w3.org/1999/xlink" l:href="data:x"/>`), why: "another file"},
		"base":              {data: `<svg xml:base="https://x.test/" viewBox="0 0 1 1"/>`, want: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>`},
		"fill elsewhere":    {data: svg(`<g fill="url(https://x.test/a#b)"/>`), why: "url(...)"},
		"style elsewhere":   {data: svg(`<g style="fill:URL( 'https://x.test/' )"/>`), why: "URL(...)"},
		"style, set":        {data: svg(`<style>g{fill:image-set("https://x.test/" 1x)}</style>`), why: "image-set(...)"},
		"style, escape":     {data: svg(`<style>g{fill:u\72l(https://x.test/)}</style>`), why: "escape"},
		"style, import":     {data: svg(`<style>@import "https://x.test/";</style>`), why: "@ rule"},
		"style in two":      {data: svg(`<style>g{fill:url<!-- -->(https://x.test/a)}</style>`), why: "url(...)"},
		"style, CDATA":      {data: svg(`<style>g{fill:url<![CDATA[(https://x.test/a)}]]></style>`), why: "url(...)"},
		"style, marked":     {data: svg(`<style>g{fill:url<?x y?>(https://x.test/a)}</style>`), why: "url(...)"},
		"style, metadata":   {data: svg(`<style>g{fill:url<metadata/>(https://x.test/a)}</style>`), why: "<metadata> in a style"},
		"style, element":    {data: svg(`<style>g{fill:url<g/>(https://x.test/a)}</style>`), why: "<g> in a style"},
		"style, comment":    {data: svg(`<style><!-- .a{} -->.b<![CDATA[{}]]></style>`), want: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><style>.b{}</style></svg>`},
		"use, both":         {data: svg(`<use xmlns:l="http://www.w3.org/1999/xlink" href="#a" l:href="#a" fill="red" fill="red"/>`), want: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><use href="#a" fill="red"></use></svg>`},
		"style ends":        {data: svg(`<style>&lt;/style>&lt;script></style>`), want: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><style>&lt;/style&gt;&lt;script&gt;</style></svg>`},
		"entities":          {data: `<!DOCTYPE svg [<!ENTITY a "b">]>` + svg(`&a;`), why: "declares entities"},
		"entity":            {data: svg(`&a;`), why: "not well-formed"},
		"no size":           {data: `<svg/>`, why: "has no size"},
		"two":               {data: svg("") + svg(""), why: "not one SVG"},
		"deep":              {data: svg(strings.Repeat("<g>", maxDepth) + strings.Repeat("</g>", maxDepth)), why: "nests more"},
		"not closed":        {data: `<svg viewBox="0 0 1 1">`, why: "not well-formed"},
		"other encoding":    {data: `<?xml version="1.0" encoding="utf-16"?>` + svg(""), why: "UTF-8"},
	} {
		p, err := Parse([]byte(c.data), all())
		switch {
		case c.why != "" && (err == nil || !strings.Contains(err.Error(), c.why)):
			t.Errorf("%s: got %v, want %s", name, err, c.why)
		case c.why == "" && (err != nil || string(p.Data) != c.want):
			t.Errorf("%s: got %v, %v", name, p, err)
		}
		if c.why == "" && err == nil { // what is written is accepted, and stays
			again, err := Parse(p.Data, all())
			if err != nil || !bytes.Equal(again.Data, p.Data) {
				t.Errorf("%s: a second time: %v, %v", name, again, err)
			}
		}
	}
}
