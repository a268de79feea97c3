package rule

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/text/unicode/norm"
)

// SEC-239: a path that some app could read as the administrators' page needs
// the rights for that page too.
func TestMatch_SpellingsOfGenerousApps(t *testing.T) {
	t.Parallel()
	s := set(t, "/", "public /public/*; role:admin /settings/*; role:admin /admin/*; role:admin /Stra%C3%9Fe; signed-in /wiki/*; signed-in /*")
	person, admin := &User{}, &User{Roles: []string{"admin"}}
	now := time.Now()
	for _, path := range []string{
		"/settings/x", "/ſettings", "/SETTINGſ/x", "/adm\u0131n", "/adm\u0130n/x", "/adm\u0049\u0307n", "/admi\u0307n", "/ａｄｍｉｎ", "/ADMIN./x", "/admin.", "/admin..", "/admin /x", "/admin. .",
		"/admin\u00a0", "/admin\u3000/x", "/ad\u00admin", "/ad\u200bmin", "/\ufeffadmin/x", "/admin::$DATA", "/admin:$I30:$INDEX_ALLOCATION/x", "/admin\u2024", "/ⓐdmin", "/𝐚dmin",
		"/public/‥/admin", "/public/．．／admin", "/admin?x", "/admin#", "/admin/?a.png", "/admin.?x", "/settings?.css", "/public＼..＼admin", "/public/.../../admin/x", "/STRASSE", "/strasse.",
	} {
		r, _, ok := s.Match(Method("GET", false), path)
		if ok && r.Need.Judge(person, now) == Pass {
			t.Errorf("%q passes by %s", path, r)
		}
		if ok && r.Need.Judge(admin, now) != Pass {
			t.Errorf("%q is refused to an administrator", path)
		}
	}
	kelvin := set(t, "/", "role:admin /kiosk/*; signed-in /*")
	if r, _, ok := kelvin.Match(Method("GET", false), "/\u212aios\u212a"); ok && r.Need.Judge(person, now) == Pass {
		t.Error("the sign of kelvin is no k")
	}
	plain := set(t, "/", "role:admin /admin/*; signed-in /*") // no rule of it has several readings, so the path alone tells
	for _, path := range []string{"/admin.", "/admin./x", "/admin /x", "/admin::$DATA", "/adm\u0131n", "/admin?x", "/admin#"} {
		if r, _, ok := plain.Match(Method("GET", false), path); ok && r.Need.Judge(person, now) == Pass {
			t.Errorf("%q passes by %s of plain rules", path, r)
		}
	}
	if _, _, ok := set(t, "/", "signed-in /admin/*").Match(Method("GET", false), "/ａｄｍｉｎ"); ok {
		t.Error("a path passes that has a rule in its second reading only")
	}
	// Names in other languages, and unusual names.
	for _, path := range []string{
		"/café", "/Łódź/straße/ö.html", "/日本語/ファイル（１）.pdf", "/مقاله\u200cها", "/हिन्दी", "/İstanbul", "/ısı", "/wiki/Inc.", "/wiki/Help:Contents", "/wiki/Washington,_D.C.", "/wiki/Who?", "/wiki/C#/x",
		"/a...", "/…", "/AC／DC", "/x:y::z", "/ .", "/🙂", "/administrator", "/ſettingsx", "/public.html", "/½", "/№1", "/my file",
	} {
		r, _, ok := s.Match(Method("GET", false), path)
		if !ok || r.Need.Judge(person, now) != Pass {
			t.Errorf("%q is refused by %s", path, r)
		}
	}
	for _, path := range []string{"/public/é", "/public/ü.", "/public/a b/c:d", "/public/why?.png"} {
		if r, _, ok := s.Match(Method("GET", false), path); !ok || !r.Need.Open() {
			t.Errorf("%q is not public", path)
		}
	}
	if r, _, _ := s.Match(Method("GET", false), "/public/‥/admin"); r.Need.Open() || r.Need.Judge(nil, now) != SignIn {
		t.Error("a path that is public in only one reading is open")
	}
	r, _, _ := set(t, "/", "role:admin+fresh:10m /admin/*; signed-in /*").Match(Method("GET", false), "/admin.")
	old := &User{Roles: []string{"admin"}, AuthenticatedAt: now.Add(-time.Hour)}
	if r.Need.Judge(old, now) != SignInAgain || r.Need.Lasting().Judge(old, now) != Pass || r.Need.Judge(old, now) != SignInAgain {
		t.Error("how fresh a sign-in is does not count in the other reading, or counts while a request is open")
	}
}

// A second reading only adds requirements, and reading it again changes
// nothing.
func FuzzGenerous(f *testing.F) {
	for _, s := range []string{"/a", "/ſ", "/admin.", "/‥/a", "/::$DATA", "/ß", "/I\u0307"} {
		f.Add(s)
	}
	rules, problems := New("/", lines("public /public/*; role:a /admin/*; signed-in /*"))
	if problems != nil {
		f.Fatal(problems)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		path, err := Path(raw)
		if err != nil {
			return
		}
		reading := generous(path)
		if again := generous(reading); again != reading {
			t.Fatalf("%q is read as %q, and that as %q", path, reading, again)
		}
		if strings.Contains(reading, "//") || strings.Contains(reading+"/", "/../") || !norm.NFC.IsNormalString(reading) {
			t.Fatalf("%q is read as %q", path, reading)
		}
		first, _, ok := rules.first(Method("GET", false), func(r Rule) bool { return r.matches(path) })
		both, _, also := rules.Match(Method("GET", false), path)
		if also && (!ok || first.Need.Judge(nil, time.Time{}) != Pass && both.Need.Judge(nil, time.Time{}) == Pass) {
			t.Fatalf("%q passes more in two readings", path)
		}
	})
}
