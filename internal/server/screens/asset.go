package screens

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"sync"

	"portico/internal/brand"
	"portico/internal/fault"
	"portico/internal/pages"
	"portico/internal/picture"
	"portico/internal/server"
)

// scriptForApps is a script for pages of apps that signs users in without
// leaving the page (clients/js).
const scriptForApps = "reauthenticate.js"

// An asset is read at its first use.
type asset func() (*server.Content, error)

// findAssets finds the built scripts and pictures. Their names contain a hash
// of their content, except for scriptForApps.
func findAssets(dist fs.FS) (map[string]asset, error) {
	files, err := fs.ReadDir(dist, "assets")
	if err != nil {
		return nil, fmt.Errorf("read the assets of the screens: %w", err)
	}
	all := make(map[string]asset, len(files))
	for _, f := range files {
		contentType := assetType(f.Name())
		if contentType == "" {
			continue // a compressed encoding, or a file that is not served
		}
		all[f.Name()] = sync.OnceValues(func() (*server.Content, error) { return readAsset(dist, "assets/"+f.Name(), contentType) })
	}
	return all, nil
}

func readAsset(dist fs.FS, name, contentType string) (*server.Content, error) {
	plain, err := fs.ReadFile(dist, name)
	br, brErr := optional(dist, name+".br")
	gz, gzErr := optional(dist, name+".gz")
	if err := errors.Join(err, brErr, gzErr); err != nil {
		return nil, fmt.Errorf("read an asset: %w", err)
	}
	return server.NewPrecompressed(contentType, plain, br, gz), nil
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
	read, ok := s.assets[r.PathValue("file")]
	if !ok {
		return fault.New(fault.Missing, server.CodeRouteMissing)
	}
	c, err := read()
	if err != nil {
		return err
	}
	if r.PathValue("file") == scriptForApps {
		c.ServeToApps(w, r)
	} else {
		c.ServeImmutable(w, r)
	}
	return nil
}

// files prepares the files of the operator for serving, by path.
func files(list []*brand.File) map[string]*server.Content {
	all := make(map[string]*server.Content, len(list))
	for _, f := range list {
		if f.Type == picture.SVG {
			all[f.Path] = server.NewContent(f.Type, f.Data)
		} else {
			all[f.Path] = server.NewPrecompressed(f.Type, f.Data, nil, nil)
		}
	}
	return all
}

// brandFile serves a file of the operator. Its path changes with its content. An
// SVG that is opened by itself runs nothing.
func (s *Screens) brandFile(w http.ResponseWriter, r *http.Request) error {
	c, ok := s.files[pages.Brand(r.PathValue("file"))]
	if !ok {
		return fault.New(fault.Missing, server.CodeRouteMissing)
	}
	w.Header().Set("Content-Security-Policy", picture.Policy)
	c.ServeImmutable(w, r)
	return nil
}
