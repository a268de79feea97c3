package rule

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"
)

// SEC-150: one spelling passes, and any other spelling of the same path is
// refused.
func TestPath(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"/": "/", "/a": "/a", "/a/": "/a/", "/a/b.html": "/a/b.html", "/.well-known/x": "/.well-known/x", "/a.b/..c/...": "/a.b/..c/...",
		"/my%20file": "/my file", "/caf%C3%A9": "/café", "/caf%c3%a9": "/café", "/AZaz09": "/AZaz09", "/100%25": "/100%", "/%254": "/%4", "/100%25/x": "/100%/x", "/C%23": "/C#",
		"/a+b(c)'d!$&,=:@|[]^~": "/a+b(c)'d!$&,=:@|[]^~", "/a%3Fb": "/a?b", "/%E3%80%82": "/。", "/%22q%22": "/\"q\"",
	} {
		if got, err := Path(raw); err != nil || got != want {
			t.Errorf("Path(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
	for raw, want := range map[string]error{
		"": errRelative, "a": errRelative, "*": errRelative, "http://x/a": errRelative, "?a": errRelative,
		"/a\\b": errCharacter, "/a;b": errCharacter, "/public/..;/admin": errCharacter, "/public;/../admin": errCharacter, "/a b": errCharacter,
		"/a\x00": errCharacter, "/a\tb": errCharacter, "/a#b": errCharacter, "/a?b": errCharacter, "/caf\u00e9": errCharacter, "/a\"b": errCharacter, "/a<b": errCharacter, "/a{b}": errCharacter,
		"/a%": errEscape, "/a%2": errEscape, "/a%zz": errEscape, "/a%u002e": errEscape, "/%%32%65": errEscape,
		"/a%2fb": errHidden, "/a%2Fb": errHidden, "/a%5cb": errHidden, "/public/..%2fadmin": errHidden, "/public/%2e%2e/admin": errHidden, "/%2E/a": errHidden,
		"/a%00": errHidden, "/a%0d%0aX": errHidden, "/a%7f": errHidden, "/%61dmin": errHidden, "/admi%6E": errHidden, "/a%3bb": errHidden, "/%39": errHidden, "/a%2ehtml": errHidden,
		"/public/%252e%252e/admin": errTwice, "/a%252fb": errTwice, "/%2561": errTwice, "/a%255cb": errTwice,
		"/%c3%A9": errMixedCase, "/%cA%AA": errMixedCase, "/%C3%a9": errMixedCase, "/%C3%9f": errMixedCase,
		"/public%c0%ae%c0%ae/admin": errText, "/%c0%af": errText, "/%e0%80%af": errText, "/%ff": errText, "/%C2%80": errText, "/%ED%A0%80": errText, "/%C3": errText,
		"//admin": errDotSegment, "/a//b": errDotSegment, "/./admin": errDotSegment, "/public/../admin": errDotSegment, "/admin/.": errDotSegment, "/admin/..": errDotSegment, "/a/./": errDotSegment, "///": errDotSegment,
	} {
		if got, err := Path(raw); !errors.Is(err, want) || got != "" {
			t.Errorf("Path(%q) = %q, %v; want %v", raw, got, err, want)
		}
	}
}

// A path that passes means one resource to every program, whether it uses
// net/url, cleans paths, decodes twice, or decodes and encodes again.
func FuzzPath(f *testing.F) {
	for _, s := range []string{"/a", "/a%20b/", "/%C3%A9", "/../a", "/%2e", "/a;b", "/%25", "/%2541", "//", "/a/%c0%ae"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := Path(raw)
		if err != nil {
			return
		}
		if decoded, err := url.PathUnescape(raw); err != nil || decoded != got {
			t.Fatalf("Path(%q) = %q, net/url says %q (%v)", raw, got, decoded, err)
		}
		if twice, err := url.PathUnescape(got); err == nil && twice != got {
			t.Fatalf("Path(%q) = %q, which decodes once more to %q", raw, got, twice)
		}
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\\;\x00") || strings.Contains(got, "//") || strings.Contains(got+"/", "/../") || strings.Contains(got+"/", "/./") {
			t.Fatalf("Path(%q) accepted %q", raw, got)
		}
		if strings.Count(raw, "/") != strings.Count(got, "/") || strings.Count(raw, ".") != strings.Count(got, ".") {
			t.Fatalf("Path(%q) = %q: something was hidden", raw, got)
		}
		if again, err := Path((&url.URL{Path: got}).EscapedPath()); err == nil && again != got {
			t.Fatalf("Path(%q) = %q, and encoded anew %q", raw, got, again)
		}
	})
}
