package rule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"portico/internal/clock"
)

// lines splits a text into rules.
func lines(text string) []string {
	var list []string
	for line := range strings.SplitSeq(text, ";") {
		list = append(list, strings.TrimSpace(line))
	}
	return list
}

func set(t *testing.T, prefix, text string) Set {
	t.Helper()
	s, problems := New(prefix, lines(text))
	if problems != nil {
		t.Fatalf("%s: %+v", text, problems)
	}
	return s
}

const shop = `public GET /static/*; public /robots.txt; public PREFLIGHT /api/*; signed-in GET|OPTIONS /api/*; role:admin|owner+fresh:10m /admin/*;
	role:payer POST /pay; signed-in /Account/*; signed-in /; signed-in OPTIONS /files/*`

func TestSet_FirstMatchDecides(t *testing.T) {
	t.Parallel()
	s := set(t, "/", shop)
	for request, want := range map[string]int{ // 0: no rule
		"GET /static/a.css": 1, "HEAD /static/": 1, "GET /static": 1, "POST /static/a.css": 0, "GET /Static/a.css": 0, "GET /staticx": 0,
		"GET /robots.txt": 2, "DELETE /robots.txt": 2, "GET /robots.txt/": 0, "GET /Robots.txt": 0,
		"PREFLIGHT /api/x": 3, "OPTIONS /api/x": 4, "HEAD /api/x": 4, "POST /api/x": 0, "PREFLIGHT /x": 0, "PREFLIGHT /static/a.css": 0, "PREFLIGHT /pay": 0,
		"GET /admin": 5, "GET /admin/": 5, "POST /ADMIN/x": 5, "PROPFIND /Admin": 5, "GET /administrator": 0, "GET /admin.json": 0,
		"POST /pay": 6, "POST /pay/": 6, "POST /PAY": 6, "POST /pay/x": 0, "GET /pay": 0,
		"GET /account/x": 7, "GET /": 8, "OPTIONS /files/x": 9, "PREFLIGHT /files/x": 9, "GET /files/x": 0, "GET /x": 0, "TRACE /": 0, "CONNECT /": 0, "get /": 0, "X /": 0,
	} {
		name, path, _ := strings.Cut(request, " ")
		asks := name == "PREFLIGHT"
		if asks {
			name = "OPTIONS"
		}
		got := 0
		if _, at, ok := s.Match(Method(name, asks), path); ok {
			got = at + 1
		}
		if got != want {
			t.Errorf("%s is decided by rule %d, want %d", request, got, want)
		}
	}
	if Method("PREFLIGHT", false) != 0 || Method("PREFLIGHT", true) != 0 {
		t.Error("a client can name its method PREFLIGHT")
	}
}

func TestSet_NoRules(t *testing.T) {
	t.Parallel()
	s, problems := New("/", nil)
	if _, _, ok := s.Match(Method("GET", false), "/"); ok || problems != nil {
		t.Errorf("an empty set lets something pass, or is refused: %v", problems)
	}
}

// Each row is a set of rules and its problems as "index: why"; "" for none.
func TestNew_Refuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                            "0: not a rule",
		"public":                      "0: not a rule",
		"public GET /a /b":            "0: not a rule",
		"admin /*":                    "0: admin is not a requirement",
		"role: /*":                    "0: does not name a role",
		"role:Admin /*":               "0: does not name a role",
		"role:a,b /*":                 "0: does not name a role",
		"role:a+role:b /*":            "0: role:b is not a requirement",
		"fresh:10 /*":                 "0: not the age",
		"fresh:1s /*":                 "0: not the age",
		"fresh:-5m /*":                "0: not the age",
		"public+fresh:1m /*":          "0: public and has a requirement",
		"public get /*":               "0: get is not a method",
		"public HEAD /*":              "0: a rule for GET also covers HEAD",
		"public GET|GET /*":           "0: GET twice",
		"public TRACE /*":             "0: TRACE is not a method",
		"public GET|* /*":             "0: * is not a method",
		"public a":                    "0: does not begin with a slash",
		"public /a*":                  "0: a star is allowed only at the end",
		"public /*/a":                 "0: a star is allowed only at the end",
		"public /a/*/b/*":             "0: a star is allowed only at the end",
		"public /a//*":                "0: an empty segment",
		"public /a/../b":              "0: segment",
		"public /a%2fb":               "0: percent-encodes a slash",
		"public /caf\u00e9":           "0: must be percent-encoded",
		"public /auth/*":              "0: Portico itself",
		"public /Auth/signin":         "0: Portico itself",
		"public /*; signed-in /a":     "1: rule 1 (public /*) decides first",
		"signed-in /a/*; role:x /a":   "1: rule 1",
		"signed-in /A/*; role:x /a/b": "1: rule 1",
		"signed-in /a; role:x /a/":    "1: rule 1",
		"public GET /a; public POST /a; public GET|POST /a":                     "2: rule 2",
		"public GET /api/*; role:x /api/admin/*":                                "1: for some of its methods rule 1",
		"public GET /api/*; role:x GET|POST /api/*":                             "1: for some of its methods rule 1",
		"public GET /*; role:x POST /a; role:x GET|PUT /b":                      "2: for some of its methods rule 1",
		"public /Static/*; role:x /static/*":                                    "1: rule 1 (public /Static/*) differs only in letter case",
		"public /a; role:x /a/; signed-in /*":                                   "1: a trailing slash",
		"public /AZ; role:x /az":                                                "1: rule 1 (public /AZ) differs only in letter case",
		"fresh:720h1s /*":                                                       "0: not the age",
		"fresh:1m /a; fresh:720h /*":                                            "",
		"public /a; role:x /a/*":                                                "",
		"public GET /api/*; signed-in /api/*":                                   "",
		"public GET /a/*; public POST|GET /a/b; signed-in /*":                   "",
		"role:x /admin/*; signed-in /*":                                         "",
		"role:x /admin/*; public GET /static/*; fresh:1h POST /*; signed-in /*": "",
		"public GET /a; signed-in POST /*; role:x GET /b/*":                     "",
	} {
		got := ""
		if _, problems := New("/", lines(text)); problems != nil {
			got = fmt.Sprintf("%d: %s", problems[0].Rule, problems[0].Why)
			if problems[0].Write == "" {
				t.Errorf("%q: %s: the advice is missing", text, got)
			}
		}
		place, why, _ := strings.Cut(want, ": ")
		if want == "" && got != "" || !strings.HasPrefix(got, place) || !strings.Contains(got, why) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if _, problems := New("/shop", lines("public /shop/x; public /shopping; signed-in /*")); len(problems) != 2 || problems[0].Rule != 1 || problems[1].Rule != 2 {
		t.Errorf("rules outside the app: %+v, want the second and the third", problems)
	}
}

func TestNeedOf(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"role:a+mfa": "", "signed-in": "", "public": "cannot be public", "public+mfa": "has a requirement", "role:A": "does not name a role"} {
		_, p := NeedOf(text)
		if want == "" && p != nil || want != "" && (p == nil || !strings.Contains(p.Why, want)) {
			t.Errorf("%q: %+v, want %q", text, p, want)
		}
	}
}

func TestNeed_Judge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	person := func(age time.Duration, roles ...string) *User {
		return &User{Roles: roles, AuthenticatedAt: now.Add(-age)}
	}
	strong := func(age, factor time.Duration) *User {
		p := person(age)
		p.StrongAt = now.Add(-factor)
		return p
	}
	for _, tt := range []struct {
		need string
		who  *User
		want Verdict
	}{
		{"public", nil, Pass},
		{"public", person(0), Pass},
		{"signed-in", nil, SignIn},
		{"signed-in", person(0), Pass},
		{"role:a", nil, SignIn},
		{"role:a", person(0), NoRole},
		{"role:a", person(0, "b", "a"), Pass},
		{"role:a|b", person(0, "b"), Pass},
		{"role:a|b", person(0, "ab"), NoRole},
		{"fresh:10m", nil, SignIn},
		{"fresh:10m", person(10*time.Minute - time.Microsecond), Pass},
		{"fresh:10m", person(10 * time.Minute), SignInAgain},
		{"fresh:10m", person(-clock.MaxSkew), Pass},
		{"fresh:10m", person(-time.Hour), SignInAgain}, // the clock was set back
		{"role:a+fresh:1m", person(time.Hour, "b"), NoRole},
		{"role:a+fresh:1m", person(time.Hour, "a"), SignInAgain},
		{"role:a+fresh:1m", person(0, "a"), Pass},
		{"mfa", nil, SignIn},
		{"mfa", person(0), SecondFactor},
		{"mfa", strong(time.Hour, 720*time.Hour), Pass},
		{"mfa+fresh:10m", strong(0, 0), Pass},
		{"mfa+fresh:10m", strong(0, 10*time.Minute), SecondFactor},
		{"mfa+fresh:10m", strong(0, 10*time.Minute-time.Microsecond), Pass},
		{"mfa+fresh:10m", strong(0, -time.Hour), SecondFactor},
		{"mfa+fresh:10m", person(0), SecondFactor},
		{"fresh:10m", strong(10*time.Minute, 0), SignInAgain},
		{"role:a+mfa", person(0, "b"), NoRole},
		{"role:a+mfa", person(0, "a"), SecondFactor},
	} {
		r, _, _ := set(t, "/", tt.need+" /*").Match(Method("GET", false), "/")
		if got := r.Need.Judge(tt.who, now); got != tt.want {
			t.Errorf("%s of %+v: %v, want %v", tt.need, tt.who, got, tt.want)
		}
	}
}

func TestSet_TraceSaysWhy(t *testing.T) {
	t.Parallel()
	want := []Step{
		{"1: public GET /static/*", "it is for a different path"},
		{"2: role:x POST /a", "it is for other methods"},
		{"3: signed-in /*", "it decides"},
	}
	s := set(t, "/", "public GET /static/*; role:x POST /a; signed-in /*")
	if diff := cmp.Diff(want, s.Trace(Method("GET", false), "/a")); diff != "" {
		t.Errorf("the way to the decision (-want +got):\n%s", diff)
	}
	if steps := s.Trace(Method("TRACE", false), "/a"); len(steps) != 3 || steps[2].Why == "it decides" {
		t.Errorf("nothing decides on TRACE: %v", steps)
	}
}

func TestValidRole(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]bool{
		"admin": true, "a": true, "team:ops": true, "a.b_c-d": true, "0": true,
		"": false, "Admin": false, "users,admins": false, "a;x": false, "a b": false, "-a": false, "a|b": false, "a+b": false, "é": false, "a\n": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if ValidRole(role) != want {
			t.Errorf("ValidRole(%q) is %v", role, !want)
		}
	}
}

// A rule lets every user pass if an account is enough for it, because its owner can sign in
// again and add a second factor alone.
func TestAnyUser(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"signed-in /*": true, "signed-in\tGET /a": true, " mfa /*": true, "fresh:10m POST /*": true, "mfa+fresh:10m": true, "signed-in": true,
		"public /*": false, "role:a /*": false, "role:a|b+mfa /*": false, "signed-in+role:a": false, "": false, " ": false, "everybody /*": false, "/*": false,
	} {
		if AnyUser(line) != want {
			t.Errorf("AnyUser(%q) is not %v", line, want)
		}
	}
}

// A rule lacks a role of a user whatever blank stands behind it.
func TestLacksRole(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"role:a /*": true, "role:a\t/*": true, "role:a+mfa GET /a": true, "role:b|c": true,
		"role:a|z /*": false, "signed-in /*": false, "public /*": false, "": false, "everybody /*": false,
	} {
		if LacksRole(line, []string{"z"}) != want {
			t.Errorf("LacksRole(%q) is not %v", line, want)
		}
	}
}
