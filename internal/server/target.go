package server

import (
	"net/http"
	"strings"
)

// maxTarget is the longest request target that is read, in bytes.
const maxTarget = 8 << 10

// checkTarget leaves one form of a request target, and refuses a target that two programs on the way may read
// differently: every router, limiter and gate behind it then sees one spelling
// of a path only. net/http lets all of these through to a handler.
func checkTarget(r *http.Request) error {
	if len(r.RequestURI) > maxTarget {
		return errTargetTooLong
	}
	for i := range len(r.RequestURI) {
		switch c := r.RequestURI[i]; {
		case c <= ' ', c >= 0x7f, c == '#', c == '\\':
			return Malformed
		}
	}
	if !canonicalPath(r.URL.Path) || hidesSeparator(r.URL.RawPath) || r.URL.User != nil {
		return Malformed
	}
	originForm(r)
	return nil
}

// originForm leaves path and query of a target that names a host as well, which
// every server has to take (RFC 9112 3.2.2). The host is in r.Host.
func originForm(r *http.Request) {
	if _, rest, absolute := strings.Cut(r.RequestURI, "://"); absolute && r.RequestURI[0] != '/' {
		r.RequestURI = rest[strings.IndexByte(rest, '/'):] // there is one: the path begins with it
	}
}

// canonicalPath reports whether a decoded path is absolute and free of empty
// and dot segments, backslashes and control characters.
func canonicalPath(path string) bool {
	if !strings.HasPrefix(path, "/") {
		return false
	}
	segment := 0 // where the current one begins
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
			return i == len(path) // a slash at the very end
		}
		segment = i
	}
	return true
}

// hidesSeparator reports whether an escaped path hides a slash. The raw path is
// empty unless it differs from the default escaping of the path.
func hidesSeparator(raw string) bool {
	for i := 0; i+2 < len(raw); i++ {
		if raw[i] == '%' && raw[i+1] == '2' && raw[i+2]|0x20 == 'f' {
			return true
		}
	}
	return false
}
