package screens

import (
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/server"
)

// scriptForApps is a script for pages of apps that signs users in without
// leaving the page (clients/js).
const scriptForApps = "reauthenticate.js"

// loadAssets loads the built scripts and pictures. Their names contain a hash
// of their content, except for scriptForApps.
func loadAssets(dist fs.FS) (map[string]*server.Content, error) {
	files, err := fs.ReadDir(dist, "assets")
	if err != nil {
		return nil, fmt.Errorf("read the assets of the screens: %w", err)
	}
	all := make(map[string]*server.Content, len(files))
	for _, f := range files {
		name := f.Name()
		contentType := assetType(name)
		if contentType == "" {
			continue // a compressed encoding, or a file that is not served
		}
		plain, err := fs.ReadFile(dist, "assets/"+name)
		if err != nil {
			return nil, fmt.Errorf("read an asset: %w", err)
		}
		br, brErr := optional(dist, "assets/"+name+".br")
		gz, gzErr := optional(dist, "assets/"+name+".gz")
		if err := errors.Join(brErr, gzErr); err != nil {
			return nil, err
		}
		all[name] = server.NewPrecompressed(contentType, plain, br, gz)
	}
	return all, nil
}

// assetType returns the content type of a file, or "" for files that must not
// be served (ASVS 13.4.7).
func assetType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".png":
		return "image/png"
	case ".ico":
		return "image/x-icon"
	}
	return ""
}

func optional(dist fs.FS, name string) ([]byte, error) {
	b, err := fs.ReadFile(dist, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return b, err
}

func (s *Screens) asset(w http.ResponseWriter, r *http.Request) error {
	c, ok := s.assets[r.PathValue("file")]
	if !ok {
		return fault.New(fault.Missing, server.CodeRouteMissing)
	}
	if r.PathValue("file") == scriptForApps {
		c.ServeToApps(w, r)
	} else {
		c.ServeImmutable(w, r)
	}
	return nil
}

const logoPath = pages.Root + "/logo"

// Logo is the operator's picture, shown instead of the name.
type Logo struct {
	Type string
	Data []byte
}

// NewLogo returns a PNG, WebP or SVG picture, recognized by its content, of at
// most 256 KiB. An SVG opened by itself runs no script.
func NewLogo(data []byte) (*Logo, error) {
	const most = 256 << 10
	if len(data) > most {
		return nil, fmt.Errorf("the logo has %d bytes: use at most %d", len(data), most)
	}
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(data))
	switch kind {
	case "image/png", "image/webp":
		return &Logo{Type: kind, Data: data}, nil
	case "text/xml", "text/plain":
		if strings.Contains(string(data), "<svg") {
			return &Logo{Type: "image/svg+xml", Data: data}, nil
		}
	}
	return nil, errors.New("the logo is not a PNG, WebP or SVG picture")
}

func (s *Screens) logo(w http.ResponseWriter, r *http.Request) error {
	if s.Logo == nil {
		return fault.New(fault.Missing, server.CodeRouteMissing)
	}
	h := w.Header()
	h.Set("Content-Type", s.Logo.Type)
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	h.Set("Cache-Control", "public, max-age=300")
	_, _ = w.Write(s.Logo.Data)
	return nil
}
