package screens

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"portico/internal/brand"
	"portico/internal/locale"
	"portico/internal/server"
)

// ErrNotBuilt means that the binary was built without the screens.
var ErrNotBuilt = errors.New("the screens are not in this binary: run make build")

// document is one screen in one locale. It is safe for concurrent use.
type document struct {
	policy string
	theme  map[string]string
	read   func() (*parts, error)          // once, at the first use
	plain  func() (*server.Content, error) // the document without data of a request
}

// parts is what a document reads from the front end. All documents together would
// take 9 MiB, and few installations show all screens in all languages.
type parts struct {
	template *template.Template
	style    string
	words    string // the texts for the script, as JSON
}

// load finds the documents of the built front end.
func load(dist fs.FS, catalogue *locale.Catalogue, theme *brand.Theme) (map[string][]*document, error) {
	var built struct {
		StyleHashes map[string]string `json:"style_hashes"`
	}
	var keys map[string][]string // the keys of the texts for the script, by screen
	for file, into := range map[string]any{"documents/manifest.json": &built, "documents/keys.json": &keys} {
		if err := decode(dist, file, into); err != nil {
			return nil, err
		}
	}
	values := theme.Values()
	all := make(map[string][]*document, len(catalogue.Locales()))
	for _, loc := range catalogue.Locales() {
		for _, name := range Names() {
			hash, styled := built.StyleHashes[name]
			files := []string{source(name)}
			if styled {
				files = append(files, styleOf(name))
			}
			for _, file := range files {
				if _, err := fs.Stat(dist, file); err != nil {
					return nil, fmt.Errorf("read the screen %q in the locale %q, which make build writes: %w", name, loc, err)
				}
			}
			hashes := []string{hash}
			if own := theme.StyleHash(); own != "" {
				hashes = append(hashes, own)
			}
			all[loc] = append(all[loc], &document{
				policy: server.DocumentPolicy(hashes), theme: values,
				read: sync.OnceValues(func() (*parts, error) { return readParts(dist, catalogue, loc, name, styled, keys[name]) }),
			})
		}
	}
	return all, nil
}

func source(name string) string { return "documents/" + name + ".html" }

func styleOf(name string) string { return "styles/" + name + ".css" }

// readParts reads a screen, its style if it has one, and its texts with these keys.
func readParts(dist fs.FS, catalogue *locale.Catalogue, loc, name string, styled bool, keys []string) (*parts, error) {
	wrong := func(err error) (*parts, error) {
		return nil, fmt.Errorf("read the screen %q in the locale %q: %w", name, loc, err)
	}
	built, err := fs.ReadFile(dist, source(name))
	if err != nil {
		return wrong(err)
	}
	text, err := marked(string(built), catalogue, loc)
	if err != nil {
		return wrong(err)
	}
	var style []byte
	if styled {
		if style, err = fs.ReadFile(dist, styleOf(name)); err != nil {
			return wrong(err)
		}
	}
	if keys == nil && strings.Contains(text, "{{.words}}") {
		return wrong(errors.New("it has no list of its texts"))
	}
	words, err := catalogue.JSON(loc, keys)
	if err != nil {
		return wrong(err)
	}
	// The template contains only actions that the build created from
	// its markers. Each value is escaped by "html", except the style, the texts
	// for the script, which are JSON, and the head of the theme, which package
	// brand computes.
	t, err := template.New(loc + "/" + name).Option("missingkey=error").Parse(text)
	if err != nil {
		return wrong(err)
	}
	return &parts{template: t, style: string(style), words: inScript(words)}, nil
}

// decode reads a file of the build, or returns ErrNotBuilt.
func decode(dist fs.FS, file string, into any) error {
	text, err := fs.ReadFile(dist, file)
	if errors.Is(err, fs.ErrNotExist) {
		return ErrNotBuilt
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		return fmt.Errorf("read %s of the screens: %w", file, err)
	}
	return nil
}

// inScript returns JSON that cannot end its script element.
func inScript(text []byte) string { return strings.ReplaceAll(string(text), "<", `\u003c`) }

// fill renders the document with the data.
func (d *document) fill(b Boot) ([]byte, error) {
	data, err := values(b)
	if err != nil {
		return nil, err
	}
	parts, err := d.read()
	if err != nil {
		return nil, err
	}
	data["theme"], data["style"], data["words"] = d.theme, parts.style, parts.words
	var out bytes.Buffer
	out.Grow(32 << 10)
	err = parts.template.Execute(&out, data)
	return out.Bytes(), err
}

// values returns the data for a template, and as JSON for its script.
func values(b Boot) (map[string]any, error) {
	// json.Marshal escapes <, > and &, so the text cannot end its script
	// element.
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	var data map[string]any
	if err := json.Unmarshal(text, &data); err != nil {
		return nil, err
	}
	data["boot"] = string(text)
	return data, nil
}

// serve writes the document, filled for this request.
func (d *document) serve(w http.ResponseWriter, r *http.Request, status int, b Boot) error {
	body, err := d.fill(b)
	if err != nil {
		return err
	}
	server.SetPolicy(w, d.policy)
	h := w.Header()
	h.Set("Content-Type", htmlType)
	h.Set("Vary", "Accept-Encoding, Accept-Language")
	h.Set("Content-Language", b.Locale)
	if b.Flow.ID != "" {
		// The URL contains the id of the flow, and the next page may be an
		// app's. Forms still send their Origin.
		h.Set("Referrer-Policy", "strict-origin")
	}
	// Compressing a secret together with input of the client would reveal it
	// (BREACH). Tokens are in cookies, so few documents have one.
	if !b.secret() && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = compress(body)
		h.Set("Content-Encoding", "gzip")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // fails only if the client has gone
	}
	return nil
}

const htmlType = "text/html; charset=utf-8"

var writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

func compress(body []byte) []byte {
	var out bytes.Buffer
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(&out)
	_, _ = z.Write(body) // writing to a buffer cannot fail
	_ = z.Close()
	return out.Bytes()
}
