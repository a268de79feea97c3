package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/server"
)

func sessionCookie(t testing.TB, public string) server.Cookie {
	t.Helper()
	u, err := url.Parse(public)
	if err != nil {
		t.Fatal(err)
	}
	return server.NewCookie(u, "session")
}

func TestCookie_Attributes(t *testing.T) {
	t.Parallel()
	secure, plain := sessionCookie(t, "https://portico.test"), sessionCookie(t, "http://localhost:8080")
	w := httptest.NewRecorder()
	secure.Write(w, "abc", 90*time.Second)
	secure.Write(w, "abc", 0)
	secure.Clear(w)
	plain.Write(w, "abc", time.Hour)
	want := []string{
		"__Host-portico-session=abc; Path=/; Max-Age=90; HttpOnly; Secure; SameSite=Lax",
		"__Host-portico-session=abc; Path=/; HttpOnly; Secure; SameSite=Lax",
		"__Host-portico-session=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Lax",
		"portico-session=abc; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax",
	}
	if diff := cmp.Diff(want, w.Header()["Set-Cookie"]); diff != "" {
		t.Errorf("Set-Cookie (-want +got):\n%s", diff)
	}
}

func TestCookie_Read(t *testing.T) {
	t.Parallel()
	const name = "__Host-portico-session"
	cases := []struct {
		name    string
		lines   []string
		value   string
		cleared bool
	}{
		{"none", nil, "", false},
		{"ours", []string{name + "=abc-._9"}, "abc-._9", false},
		{"among others", []string{"a=1; " + name + "=abc;b=2"}, "abc", false},
		{"on a second line", []string{"a=1", name + "=abc"}, "abc", false},
		{"blanks around", []string{"\t " + name + "=abc \t"}, "abc", false},
		{"the prefix in other letters", []string{"__host-portico-session=abc"}, "", false},
		{"the name without prefix", []string{"portico-session=abc"}, "", false},
		{"a longer name", []string{name + "2=abc; x" + name + "=abc"}, "", false},
		{"no equals sign", []string{name}, "", true},
		{"no equals sign next to ours", []string{name + "; " + name + "=abc"}, "", true},
		{"inside another value", []string{"a=" + name + "=abc"}, "", false},
		{"twice", []string{name + "=abc; " + name + "=def"}, "", true},
		{"twice the same", []string{name + "=abc; " + name + "=abc"}, "", true},
		{"twice on two lines", []string{name + "=abc", name + "=def"}, "", true},
		{"quoted", []string{name + `="abc"`}, "", true},
		{"empty", []string{name + "="}, "", true},
		{"percent", []string{name + "=%41"}, "", true},
		{"blank inside", []string{name + "=a b"}, "", true},
		{"not ASCII", []string{name + "=\xff\xfe"}, "", true},
		{"NUL", []string{name + "=a\x00"}, "", true},
		{"JSON", []string{name + `={"a":1}`}, "", true},
		{"too long", []string{name + "=" + strings.Repeat("a", 3801)}, "", true},
		{"as long as may be", []string{name + "=" + strings.Repeat("a", 3800)}, strings.Repeat("a", 3800), false},
		{"the legacy form", []string{`$Version=1; ` + name + `=abc; $Path="/"`}, "abc", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, r := httptest.NewRecorder(), request("GET", "/", "")
			r.Header["Cookie"] = c.lines
			value, found := sessionCookie(t, "https://portico.test").Read(w, r)
			if value != c.value || found != (c.value != "") {
				t.Errorf("Read = %q, %v; want %q", value, found, c.value)
			}
			if cleared := strings.Contains(w.Header().Get("Set-Cookie"), "Max-Age=0"); cleared != c.cleared {
				t.Errorf("cleared %v, want %v", cleared, c.cleared)
			}
		})
	}
}

func TestCookies_TooMany(t *testing.T) {
	t.Parallel()
	k := httpsKit(t)
	k.Handle("GET /", ok)
	addr := k.listen(t)
	cases := []struct {
		name   string
		cookie string
		status int
		clears bool
	}{
		{"as many as fit", strings.Repeat("a=1; ", 3000), 200, false},
		{"more than any use needs", strings.Repeat("a=1; ", 3500), 431, true},
		{"more than a header may have", strings.Repeat("a", 64<<10), 431, false}, // net/http's own response
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			answers := raw(t, addr, "GET / HTTP/1.1\r\nHost: portico.test\r\nCookie: "+c.cookie+"\r\nConnection: close\r\n\r\n", 1)
			if len(answers) != 1 || answers[0].StatusCode != c.status {
				t.Fatalf("answers %v, want one %d", answers, c.status)
			}
			if clears := answers[0].Header.Get("Clear-Site-Data") == `"cookies"`; clears != c.clears {
				t.Errorf("Clear-Site-Data %q", answers[0].Header.Get("Clear-Site-Data"))
			}
		})
	}
}

// FuzzCookie compares with net/http's parser. A value from Read is the only one
// of that name, and a cookie that Write sets can be read.
func FuzzCookie(f *testing.F) {
	const name = "__Host-portico-session"
	for _, seed := range []string{"", name + "=abc", name + "=a; " + name + "=b", "a=1; " + name + `="x"`, ";;;", "=", name, name + ";" + name + "=0", "\x00=\xff"} {
		f.Add(seed)
	}
	cookie := sessionCookie(f, "https://portico.test")
	f.Fuzz(func(t *testing.T, line string) {
		r := request("GET", "/", "")
		r.Header["Cookie"] = []string{line}
		value, found := cookie.Read(httptest.NewRecorder(), r)
		if !found {
			return
		}
		theirs := r.CookiesNamed(name)
		if len(theirs) != 1 || theirs[0].Value != value {
			t.Errorf("%q: read %q, net/http reads %v", line, value, theirs)
		}
		w := httptest.NewRecorder()
		cookie.Write(w, value, 0)
		set := (&http.Response{Header: w.Header()}).Cookies()
		if len(set) != 1 || set[0].Value != value {
			t.Errorf("%q: set as %v", line, set)
		}
	})
}
