// Package web carries the built front end inside the binary: the message
// catalogue and the documents and assets that `npm run build` leaves in dist.
// It owns no behaviour; internal/locale reads Messages, internal/server/screens
// serves Dist.
//
// Before the first web build dist holds nothing but its .gitignore, so the
// module compiles from a clean clone and the screens say what is missing.
package web

import (
	"embed"
	"io/fs"
)

//go:embed src/i18n/messages/*.json
var messages embed.FS

//go:embed all:dist
var dist embed.FS

var (
	// Messages holds one flat JSON catalogue a locale: "en.json".
	Messages fs.FS = under(messages, "src/i18n/messages")

	// Dist holds documents/<screen>.html, documents/manifest.json,
	// documents/keys.json, styles/<screen>.css, states.json.gz,
	// components.html and assets/*
	// as the build left them.
	Dist fs.FS = under(dist, "dist")
)

func under(files fs.FS, dir string) fs.FS {
	sub, err := fs.Sub(files, dir)
	if err != nil {
		panic(err) // dir is a constant of this file
	}
	return sub
}
