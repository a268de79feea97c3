package server

import (
	"net/http"
	"strings"
)

// maxTarget is the size limit of a request target in bytes.
const maxTarget = 8 << 10

// checkTarget refuses a request target that two programs could read
// differently, which net/http would accept, and puts any other into origin
// form. Routes, rate limits and access rules then see the same path.
func checkTarget(r *http.Request) error {
	if err := checkForm(r); err != nil {
		return err
	}
	if ambiguous(r) {
		return Malformed
	}
	return nil
}

// checkForm refuses a request target that no program may get, and puts any
// other into origin form.
func checkForm(r *http.Request) error {
	if len(r.RequestURI) > maxTarget {
		return errTargetTooLong
	}
	for i := range len(r.RequestURI) {
		switch c := r.RequestURI[i]; {
		case c <= ' ', c >= 0x7f, c == '#', c == '\\':
			return Malformed
		}
	}
	if !strings.HasPrefix(r.URL.Path, "/") || r.URL.User != nil {
		return Malformed
	}
	return originForm(r)
}

// ambiguous reports whether two programs could read the path of a request
// differently.
func ambiguous(r *http.Request) bool {
	return !canonicalPath(r.URL.Path) || hidesSeparator(r.URL.RawPath)
}

// originForm removes scheme and host from a target in absolute form, which
// every server must accept (RFC 9112 3.2.2). r.Host already has the host. net/http
// also accepts "x:/path" and, with CONNECT, "host/path": these are refused.
func originForm(r *http.Request) error {
	if strings.HasPrefix(r.RequestURI, "/") {
		return nil
	}
	if r.URL.Scheme == "" || r.URL.Host == "" {
		return Malformed
	}
	_, rest, _ := strings.Cut(r.RequestURI, "://")
	r.RequestURI = rest[strings.IndexByte(rest, '/'):] // the path begins with this slash
	return nil
}

// canonicalPath reports whether a decoded path is absolute and has no empty or
// dot segments, backslashes or control characters.
func canonicalPath(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	segment := 0 // index of the slash before the current segment
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			if path[i] < ' ' || path[i] == 0x7f || path[i] == '\\' {
				return false
			}
			continue
		}
		switch path[segment+1 : i] {
		case ".", "..":
			return false
		case "":
			return i == len(path) // a slash at the end is allowed
		}
		segment = i
	}
	return true
}

// hidesSeparator reports whether an escaped path contains an escaped slash. raw
// is empty if it equals the default escaping.
func hidesSeparator(raw string) bool {
	for i := 0; i+2 < len(raw); i++ {
		if raw[i] == '%' && raw[i+1] == '2' && raw[i+2]|0x20 == 'f' {
			return true
		}
	}
	return false
}
