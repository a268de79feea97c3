package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"math/bits"
	"net/http"
	"strconv"
	"strings"

	"github.com/andybalholm/brotli"
)

// Content is a body held in memory in every encoding that it is sent in. It is
// immutable and safe for concurrent use.
type Content struct {
	contentType string
	bodies      []encoded // best first, the plain one last
}

type encoded struct {
	name string // of the content coding, "" for none
	etag string
	body []byte
}

// NewContent compresses a body: at start, for what is then sent many times. It
// must not hold both a secret and something that the client chose, whose
// compressed length would tell one from the other (BREACH).
func NewContent(contentType string, plain []byte) *Content {
	var br, gz bytes.Buffer
	b := brotli.NewWriterOptions(&br, brotli.WriterOptions{Quality: brotli.BestCompression, LGWin: window(len(plain))})
	_, _ = b.Write(plain) // neither writer fails on a buffer
	_ = b.Close()
	g, _ := gzip.NewWriterLevel(&gz, gzip.BestCompression) // fails for an unknown level only
	_, _ = g.Write(plain)
	_ = g.Close()
	return NewPrecompressed(contentType, plain, br.Bytes(), gz.Bytes())
}

// window is the base-2 logarithm of the smallest brotli window that sees the
// whole body (RFC 7932 9.1: its size is 16 less than the power). The encoder
// takes memory for the window, 32 MiB for its default of 4 MiB, and the collector
// leaves that with a process that has nothing else to do.
func window(size int) int { return min(max(bits.Len(uint(size+15)), 10), 22) }

// NewPrecompressed takes a body that was compressed when it was built. A form
// that is nil, or no smaller than the plain one, is not used.
func NewPrecompressed(contentType string, plain, br, gz []byte) *Content {
	sum := sha256.Sum256(plain)
	tag := base64.RawURLEncoding.EncodeToString(sum[:12])
	c := &Content{contentType: contentType}
	add := func(name string, body []byte) {
		if body != nil && len(body) < len(plain) {
			c.bodies = append(c.bodies, encoded{name, `"` + tag + "-" + name + `"`, body})
		}
	}
	add("br", br)
	add("gzip", gz)
	c.bodies = append(c.bodies, encoded{"", `"` + tag + `"`, plain})
	return c
}

// Serve answers with the content as a document that no cache keeps.
func (c *Content) Serve(w http.ResponseWriter, r *http.Request, status int) {
	c.write(w, c.choose(w, r), status)
}

// ServeImmutable answers with the content as an asset whose URL changes with
// it: caches keep it for a year, and 304 answers whoever asks again.
func (c *Content) ServeImmutable(w http.ResponseWriter, r *http.Request) {
	c.serveCached(w, r, "public, max-age=31536000, immutable")
}

// ServeToApps answers with the content as a script that pages of apps load, also
// of other origins, by a URL that stays: caches keep it for minutes.
func (c *Content) ServeToApps(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cross-Origin-Resource-Policy", "cross-origin")
	c.serveCached(w, r, "public, max-age=300")
}

func (c *Content) serveCached(w http.ResponseWriter, r *http.Request, caching string) {
	form := c.choose(w, r)
	h := w.Header()
	h.Set("Cache-Control", caching)
	h.Set("Etag", form.etag)
	if Unchanged(r, form.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	c.write(w, form, http.StatusOK)
}

func (c *Content) choose(w http.ResponseWriter, r *http.Request) encoded {
	w.Header().Set("Vary", "Accept-Encoding")
	accept := r.Header.Get("Accept-Encoding")
	for _, form := range c.bodies {
		if form.name != "" && accepts(accept, form.name) {
			return form
		}
	}
	return c.bodies[len(c.bodies)-1]
}

func (c *Content) write(w http.ResponseWriter, form encoded, status int) {
	h := w.Header()
	h.Set("Content-Type", c.contentType)
	h.Set("Content-Length", strconv.Itoa(len(form.body)))
	if form.name != "" {
		h.Set("Content-Encoding", form.name)
	}
	w.WriteHeader(status)
	_, _ = w.Write(form.body) // fails only when the client has gone
}

// accepts reports whether an Accept-Encoding header allows a coding
// (RFC 9110 12.5.3). Weights other than zero are not compared: the order is
// ours. The wildcard is not used: only what is named is known to be understood.
func accepts(header, coding string) bool {
	for item := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(item, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			weight, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(params)), "q=")
			return !given || strings.Trim(weight, "0.") != ""
		}
	}
	return false
}

// Unchanged reports whether the client says that it has the answer of the tag.
func Unchanged(r *http.Request, etag string) bool {
	return matches(r.Header.Get("If-None-Match"), etag)
}

// matches reports whether an If-None-Match header names the tag
// (RFC 9110 13.1.2, weak comparison).
func matches(header, etag string) bool {
	for item := range strings.SplitSeq(header, ",") {
		item = strings.TrimSpace(item)
		if item == "*" || strings.TrimPrefix(item, "W/") == etag {
			return true
		}
	}
	return false
}
