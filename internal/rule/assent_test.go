package rule

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReadings(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string][]string{
		"/a/b":                         {"/a/b"},
		"/@scope%2fname":               {"/@scope%2Fname", "/@scope/name"},
		"/api/queues/%2F/name":         {"/api/queues/%2F/name", "/api/queues///name", "/api/queues/name"},
		"/projects/g%2Fp/lib%2Fx%2Erb": {"/projects/g%2Fp/lib%2Fx.rb", "/projects/g/p/lib/x.rb"},
		"/a//b/":                       {"/a//b/", "/a/b/"},
		"/a;v=1/b":                     {"/a;v=1/b", "/a/b", "/a"},
		"/a%3Bv/b":                     {"/a;v/b", "/a/b", "/a"},
		"/a;x%2Fb/c":                   {"/a;x%2Fb/c", "/a;x/b/c", "/a/c", "/a/b/c", "/a%2Fb/c", "/a"},
		"/;jsessionid=1":               {"/;jsessionid=1", "/"},
		"/a/;x/b":                      {"/a/;x/b", "/a//b", "/a/b", "/a/"},
		"/caf%C3%A9%2Fx":               {"/café%2Fx", "/café/x"},
	} {
		got, err := Readings(raw)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", raw, err, diff)
		}
	}
	for raw, want := range map[string]error{
		"": errRelative, "a": errRelative,
		"//a": errAuthority, "/%2Fa": errAuthority, "/%2fevil.test/x": errAuthority, "/;x/admin": errAuthority, "/;%2Fadmin": errAuthority, "/%3b//a": errAuthority,
		"/a/..": errDotSegment, "/a/../b": errDotSegment, "/a/%2e%2e/b": errDotSegment, "/a/.%2E/b": errDotSegment, "/a/..%2fb": errDotSegment, "/a%2F..%2Fb": errDotSegment,
		"/a/..;/b": errDotSegment, "/a/..;x=y/b": errDotSegment, "/a/..%3b/b": errDotSegment, "/a/%2e%2e;/b": errDotSegment, "/a/.;/b": errDotSegment, "/a%2f%2e%2e%3b%2fb": errDotSegment, "/./a": errDotSegment, "/a/;/../b": errDotSegment,
		"/a/;x%2F../b": errDotSegment, "/a%2F.": errDotSegment,
		"/x;q/admin%3Bz/y": errSemicolons, "/x;/admin%3bz/y": errSemicolons,
		"/a\\b": errCharacter, "/a b": errCharacter, "/a#b": errCharacter, "/a\x01b": errCharacter,
		"/a%5Cb": errHidden, "/a%00": errHidden, "/a%01b": errHidden, "/a%02b": errHidden, "/%61": errHidden, "/a%0d%0a": errHidden,
		"/a%252Fb": errTwice, "/a%252e%252e/b": errTwice, "/a%253Bb": errTwice, "/a%c0%af..": errText, "/a%C2%80": errText, "/a%zz": errEscape, "/a%2F%c3%a9": errMixedCase,
	} {
		if got, err := Readings(raw); !errors.Is(err, want) || got != nil {
			t.Errorf("Readings(%q) = %q, %v; want %v", raw, got, err, want)
		}
	}
}

// SEC-360: the needs of all readings add up, and a reading without a rule refuses.
func TestMatchAll(t *testing.T) {
	t.Parallel()
	rules := set(t, "/", "role:admin /admin/*; public /public/*; public GET /api/free; role:ops+fresh:10m DELETE /api/*; signed-in /api/*")
	nobody, person := (*User)(nil), &User{}
	for _, tt := range []struct {
		request string
		who     *User
		want    Verdict
	}{
		{"GET /public/a%2Fb", nobody, Pass},
		{"GET /public/a;x//b", nobody, Pass},
		{"GET /public;x/b", nobody, NoRule}, // only an app that cuts parameters reads a public path
		{"GET /api/queues/%2F/name", nobody, SignIn},
		{"GET /api/queues/%2F/name", person, Pass},
		{"DELETE /api/queues/%2F/name", person, NoRole},
		{"GET /admin%2Fx", person, NoRule},
		{"GET /api%2Ffree", person, NoRule},
		{"GET /api//free", nobody, SignIn},
		{"GET /api/free;x", nobody, SignIn},
		{"GET /admin//x", person, NoRole},
		{"GET /ADMIN%2Fx", nobody, NoRule},
	} {
		method, raw, _ := strings.Cut(tt.request, " ")
		readings, err := Readings(raw)
		if err != nil {
			t.Fatal(tt.request, err)
		}
		got := NoRule
		if r, _, ok := rules.MatchAll(Method(method, false), readings); ok {
			got = r.Need.Judge(tt.who, time.Now())
		}
		if got != tt.want {
			t.Errorf("%s: %v, want %v", tt.request, got, tt.want)
		}
	}
	if _, _, ok := rules.MatchAll(Method("GET", false), []string{"/public/x", "/elsewhere"}); ok {
		t.Error("a path passes although its second reading has no rule")
	}
}

func TestFindAsSent(t *testing.T) {
	t.Parallel()
	sites := NewSites([]Site{{Host: "a.test", Path: "/", AsSent: true}, {Host: "a.test", Path: "/shop"}, {Host: "a.test", Path: "/npm", AsSent: true}, {Host: "b.test", Path: "/"}})
	for target, want := range map[string]int{
		"a.test/x%2Fy": 0, "a.test/npm/x%2Fy": 2, "a.test/npm;x": -1, "a.test/npm%2Fx": -1, "a.test/shop/x%2Fy": -1, "a.test/shop%2Fx": -1, "a.test/x//y": 0,
		"b.test/x%2Fy": -1, "c.test/x%2Fy": -1, "a.test/auth%2Fapi": -1, "a.test/auth;x/api": -1, "a.test/auth//api": -1, "a.test/auth%3bx": -1,
	} {
		host, raw, _ := strings.Cut(target, "/")
		_, i, _, ok := sites.FindAsSent(host, "/"+raw)
		if !ok {
			i = -1
		}
		if i != want {
			t.Errorf("%s belongs to site %d, want %d", target, i, want)
		}
	}
}

// servers are ways in which servers and frameworks find the page of a path.
var servers = map[string]func(raw string) string{
	"Go, WSGI": func(raw string) string { return path.Clean(decoded(raw)) },
	"Tomcat":   func(raw string) string { return path.Clean(decoded(cutParameters(raw))) },
	"Spring":   func(raw string) string { return path.Clean(cutParameters(decoded(raw))) },
	"first semicolon": func(raw string) string {
		before, _, _ := strings.Cut(decoded(raw), ";")
		return path.Clean(before)
	},
	"Express, Rails": func(raw string) string {
		segments := strings.Split(raw, "/")
		for i, s := range segments {
			segments[i] = strings.ReplaceAll(decoded(s), "/", "%2F")
		}
		return strings.Join(segments, "/")
	},
	"URL of WHATWG": func(raw string) string {
		base := &url.URL{Scheme: "http", Host: "a.test", Path: "/"}
		u, err := base.Parse(raw)
		if err != nil {
			return raw
		}
		return u.Path
	},
}

func decoded(raw string) string {
	text, err := url.PathUnescape(raw)
	if err != nil {
		return raw
	}
	return text
}

func cutParameters(text string) string {
	segments := strings.Split(text, "/")
	for i, s := range segments {
		segments[i], _, _ = strings.Cut(s, ";")
	}
	return strings.Join(segments, "/")
}

// SEC-360: whatever path a server reads, the rules have judged it.
func FuzzReadings(f *testing.F) {
	for _, s := range []string{"/a%2Fb", "/a;x%2Fb/c", "/a//b", "/a%3b%2e/;/c", "/..;/a", "//a", "/a/;x/..%2f", "/a%2F;%3B/b;", "/;/%2F"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		readings, err := Readings(raw)
		if err != nil {
			return
		}
		for i := range readings {
			readings[i] = strings.TrimSuffix(readings[i], "/") // which rules ignore, unless they are public
		}
		for name, page := range servers {
			if got := page(raw); !slices.Contains(readings, strings.TrimSuffix(got, "/")) {
				t.Errorf("%s reads %q as %q, which is not one of %q", name, raw, got, readings)
			}
		}
		if plain, err := Path(raw); err == nil && strings.TrimSuffix(plain, "/") != readings[0] {
			t.Errorf("%q is %q and %q", raw, plain, readings[0])
		}
	})
}
