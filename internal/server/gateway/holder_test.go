package gateway

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestHolder_String(t *testing.T) {
	t.Parallel()
	for _, h := range []holder{
		{who: nobody, written: 7},
		{who: "abc-_", written: 685},
		{who: "abc", written: 685, mixed: true},
		{who: "abc", written: 685, mixed: true, known: []uint32{1, 1 << 31}},
		{who: "abc", written: 685, deep: []deepCookie{{"a", "/b c", "x.test"}}},
		{who: "abc", written: 685, mixed: true, known: []uint32{9}, deep: []deepCookie{{"a", "/b", ""}, {"c", "/d", ""}}},
	} {
		text := h.String()
		if got, ok := parseHolder(text); !ok || !reflect.DeepEqual(got, h) {
			t.Errorf("%q is read as %+v, %v, want %+v", text, got, ok, h)
		}
	}
	for _, text := range []string{"", ".", "a", "a.", "a.!", ".1", "a.1.mA", "a.1.m!", "a.1.-.!", "a.1.-.e30", "a.1.-..", "a.1.m" + strings.Repeat("AAAA", 400)} {
		if h, ok := parseHolder(text); ok {
			t.Errorf("%q is read as %+v", text, h)
		}
	}
}

// However many cookies an app sets, the cookie stays below the size limit of
// browsers.
func TestHolder_Bounded(t *testing.T) {
	t.Parallel()
	h := holder{who: strings.Repeat("a", 22), mixed: true}
	for i := range 500 {
		h.learn(fmt.Sprint("name", i))
		h.note(deepCookie{fmt.Sprint("name", i), "/" + strings.Repeat("p", i), "apps.example.com"})
	}
	if n := len(h.String()); n > 2500 {
		t.Errorf("the value has %d bytes", n)
	}
	if !h.knows("name499") || h.knows("name0") {
		t.Error("the newest names are forgotten, and not the oldest")
	}
}

func TestVariants(t *testing.T) {
	t.Parallel()
	if got, want := prefixesOf("/a/b/c"), []string{"/", "/a", "/a/", "/a/b", "/a/b/", "/a/b/c"}; !slices.Equal(got, want) {
		t.Errorf("prefixes %q, want %q", got, want)
	}
	if n := len(prefixesOf("/" + strings.Repeat("x/", 4000))); n > 12 {
		t.Errorf("%d prefixes of a deep path", n)
	}
	for host, want := range map[string][]string{
		"a.example.com": {"a.example.com", "example.com"}, "a.example.com:8443": {"a.example.com", "example.com"}, "localhost:80": nil, "127.0.0.1:80": nil, "[::1]": nil,
	} {
		if got := domainsOf(host); !slices.Equal(got, want) {
			t.Errorf("%s: domains %q, want %q", host, got, want)
		}
	}
	if got := variantsOf("__Host-x", "/a/b", "example.com"); !slices.Equal(got, []string{"__Host-x=; Path=/; Max-Age=0; Secure"}) {
		t.Errorf("__Host-: %q", got)
	}
	for _, tt := range []struct {
		cookie, below string
		want          bool
	}{{"/", "/", true}, {"/", "/shop", true}, {"/shop", "/shop", true}, {"/shop/", "/shop", false}, {"/sho", "/shop", false}, {"/shop/x", "/shop", false}, {"/a", "/", false}, {"/a", "/a/b", true}} {
		if covers(tt.cookie, tt.below) != tt.want {
			t.Errorf("covers(%q, %q) is %v", tt.cookie, tt.below, !tt.want)
		}
	}
}
