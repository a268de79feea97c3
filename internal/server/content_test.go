package server_test

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"

	"portico/internal/server"
)

const page = "text/html; charset=utf-8"

func contentKit(t *testing.T, c *server.Content) *kit {
	t.Helper()
	k := httpsKit(t)
	k.Handle("GET /document", func(w http.ResponseWriter, r *http.Request) error {
		c.Serve(w, r, http.StatusUnprocessableEntity)
		return nil
	})
	k.Handle("GET /asset", func(w http.ResponseWriter, r *http.Request) error {
		c.ServeImmutable(w, r)
		return nil
	})
	return k
}

func TestContent_ChoosesTheEncoding(t *testing.T) {
	t.Parallel()
	plain := strings.Repeat("<p>sign in</p>", 200)
	k := contentKit(t, server.NewContent(page, []byte(plain)))
	cases := []struct{ accept, want string }{
		{"", ""},
		{"gzip, deflate, br, zstd", "br"},
		{"gzip, deflate", "gzip"},
		{"GZIP;q=1.0", "gzip"},
		{"br;q=0, gzip;q=0.1", "gzip"},
		{"br; q=0.000, gzip ;q=0", ""},
		{"br;q=0.001", "br"},
		{"*", ""},
		{"identity;q=0", ""},
		{"brotli, xgzip", ""},
		{",;,=", ""},
	}
	for _, c := range cases {
		t.Run(c.accept, func(t *testing.T) {
			t.Parallel()
			w := k.do("GET", "/document", "", "Accept-Encoding: "+c.accept)
			if got := w.Header().Get("Content-Encoding"); got != c.want {
				t.Fatalf("Content-Encoding %q, want %q", got, c.want)
			}
			if w.Code != 422 || w.Header().Get("Vary") != "Accept-Encoding" || w.Header().Get("Content-Type") != page || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("status %d, headers %v", w.Code, w.Header())
			}
			if got := unpack(t, c.want, w.Body); got != plain {
				t.Errorf("the body is %d bytes of something else", len(got))
			}
		})
	}
}

func unpack(t *testing.T, coding string, body io.Reader) string {
	t.Helper()
	var err error
	switch coding {
	case "br":
		body = brotli.NewReader(body)
	case "gzip":
		if body, err = gzip.NewReader(body); err != nil {
			t.Fatal(err)
		}
	}
	plain, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

func TestContent_Immutable(t *testing.T) {
	t.Parallel()
	k := contentKit(t, server.NewPrecompressed("text/javascript", bytes.Repeat([]byte("x"), 100), []byte("br form"), []byte("gz form")))
	first := k.do("GET", "/asset", "", "Accept-Encoding: br")
	tag := first.Header().Get("Etag")
	if first.Code != 200 || first.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || first.Body.String() != "br form" {
		t.Errorf("status %d, headers %v", first.Code, first.Header())
	}
	if plain := k.do("GET", "/asset", "").Header().Get("Etag"); plain == tag || plain == "" {
		t.Errorf("the plain form has the tag %q, the compressed one %q", plain, tag)
	}
	for sent, status := range map[string]int{tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "": 200} {
		w := k.do("GET", "/asset", "", "Accept-Encoding: br", "If-None-Match: "+sent)
		if w.Code != status || (w.Body.Len() == 0) != (status == 304) {
			t.Errorf("If-None-Match %s: status %d with %d bytes, want %d", sent, w.Code, w.Body.Len(), status)
		}
	}
}

func TestContent_LeavesOutWhatDoesNotShrink(t *testing.T) {
	t.Parallel()
	k := contentKit(t, server.NewContent(page, []byte("short")))
	if w := k.do("GET", "/document", "", "Accept-Encoding: br, gzip"); w.Header().Get("Content-Encoding") != "" || w.Body.String() != "short" {
		t.Errorf("headers %v, body %q", w.Header(), w.Body)
	}
}

// Compressing a document retains only a small multiple of its size. This test
// is not parallel, because it measures the allocations of the process.
func TestContent_TakesLittleMemory(t *testing.T) {
	plain := bytes.Repeat([]byte("<p>sign in</p>"), 2500)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	server.NewContent(page, plain)
	runtime.ReadMemStats(&after)
	if got, most := (after.TotalAlloc-before.TotalAlloc)>>20, uint64(16); got > most {
		t.Errorf("%d bytes took %d MiB to compress, at most %d", len(plain), got, most)
	}
}

// The window covers a body of any size.
func TestContent_CompressesWhatIsFarApart(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1008, 1009, 16368, 16369, 100_000} {
		random := make([]byte, size/2)
		_, _ = rand.Read(random)
		plain := append(bytes.Clone(random), random...)
		k := contentKit(t, server.NewContent(page, plain))
		w := k.do("GET", "/document", "", "Accept-Encoding: br")
		if compressed := w.Body.Len(); compressed > size/2+200 {
			t.Errorf("%d bytes, the second half as the first, became %d", size, compressed)
		}
		if got := unpack(t, "br", w.Body); got != string(plain) {
			t.Errorf("%d bytes became something else", size)
		}
	}
}
