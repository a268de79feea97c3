package security

import "testing"

// A user without the role must not reach a page by a spelling that some app
// accepts. Pages in any language stay reachable.
func TestSEC239_SpellingsOfGenerousApps(t *testing.T) {
	announce(t)
	t.Parallel()
	app := newApp(t, tempers()["raw"])
	s := start(t, protects(app, "role:admin /settings/*", "role:admin /admin/*", "signed-in /*"))
	person, admin := s.staff(), s.staff("admin")
	for _, target := range []string{
		"/%C5%BFettings", "/%C5%BFettings/x", "/adm%C4%B1n", "/adm%C4%B0n/x", "/admin.", "/admin%20", "/admin./x", "/admin%20/x", "/admin.%20.", "/admin::$DATA",
		"/%EF%BD%81%EF%BD%84%EF%BD%8D%EF%BD%89%EF%BD%8E", "/ad%C2%ADmin", "/admin%C2%A0", "/%E2%80%A5/admin", "/x/%E2%80%A5/admin/y", "/adm%69%CC%87n", "/ad%E2%80%8Bmin",
	} {
		if a := person.do("GET", target, "", script()); a.status == 200 {
			t.Errorf("%s is answered 200", target)
		}
	}
	if n := len(app.asked()); n > 0 {
		t.Errorf("the app was asked %d times", n)
	}
	for _, target := range []string{"/caf%C3%A9", "/%E6%97%A5%E6%9C%AC%E8%AA%9E/a.", "/wiki/Help:Contents", "/%C4%B0stanbul", "/Washington,_D.C."} {
		if a := person.do("GET", target, "", script()); a.status != 200 || a.echoed().Target != target {
			t.Errorf("%s gets status %d", target, a.status)
		}
	}
	if a := admin.do("GET", "/admin.", "", script()); a.status != 200 {
		t.Errorf("an administrator gets status %d", a.status)
	}
}
