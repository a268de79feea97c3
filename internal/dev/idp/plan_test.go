package idp_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"portico/internal/dev/idp"
)

// A plan decides how the next sign-in of its browser ends, once.
func TestPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	subjects := map[string]string{}
	for _, test := range []struct{ fails, want string }{
		{"", `"email":"ada@x.test","email_verified":true,"name":"Ada","sub":`},
		{idp.Unverified, `"email":"ada@x.test","email_verified":false,"name":"Ada","sub":`},
		{idp.NoEmail, `{"name":"Ada","sub":`},
		{idp.OtherSubject, `"email":"ada@x.test","email_verified":true,"name":"Ada","sub":`},
	} {
		back := b.planned(idp.Plan{Email: "ada@x.test", Name: "Ada", Fails: test.fails})
		body := b.person(back.Get("code"))
		if !strings.Contains(body, test.want) {
			t.Errorf("%q: %s", test.fails, body)
		}
		_, subjects[test.fails], _ = strings.Cut(body, `"sub":`)
	}
	if one := subjects[""]; one == "" || subjects[idp.Unverified] != one || subjects[idp.NoEmail] != one || subjects[idp.OtherSubject] == one {
		t.Errorf("the subjects are %v", subjects)
	}
	if back := b.planned(idp.Plan{Fails: idp.Cancelled}); back.Get("error") != "access_denied" {
		t.Errorf("a cancelled sign-in is answered %v", back)
	}
}

// planned returns the parameters of the callback of the next sign-in, and checks that the one after it shows the page.
func (b *bench) planned(plan idp.Plan) url.Values {
	b.t.Helper()
	cookie, err := b.provider.KeepPlan(plan, "127.0.0.1")
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := http.NewRequest(http.MethodGet, b.issuer+"/authorize?"+request().Encode(), nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.AddCookie(cookie)
	status, header, body := b.send(r)
	if status != http.StatusSeeOther {
		b.t.Fatalf("got %d %s", status, body)
	}
	if status, _, _ := b.send(r); status != http.StatusOK {
		b.t.Errorf("the plan works twice: %d", status)
	}
	back, err := url.Parse(header.Get("Location"))
	if err != nil || !strings.HasPrefix(back.String(), redirect+"?") || back.Query().Get("state") != "the state" {
		b.t.Fatalf("back to %s (%v)", back, err)
	}
	return back.Query()
}

// person redeems a code and returns what the provider says of its person.
func (b *bench) person(code string) string {
	b.t.Helper()
	_, tokens := b.redeem(redemption(code))
	access, _ := tokens["access_token"].(string)
	_, body := b.userinfo("Bearer " + access)
	return body
}

func (b *bench) userinfo(authorization string) (status int, body string) {
	b.t.Helper()
	r, err := http.NewRequest(http.MethodGet, b.issuer+"/userinfo", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Authorization", authorization)
	status, _, body = b.send(r)
	return status, strings.TrimSpace(body)
}

// A plan that could not work is refused.
func TestPlan_Refused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, test := range []struct {
		plan       idp.Plan
		host, want string
	}{
		{idp.Plan{}, "127.0.0.1", "email: "},
		{idp.Plan{Fails: idp.NoEmail}, "127.0.0.1", "email: "},
		{idp.Plan{Email: "a@x.test", Fails: "badly"}, "127.0.0.1", "fails: "},
		{idp.Plan{Email: "a@x.test"}, "localhost", "leave public_url out"},
	} {
		if _, err := b.provider.KeepPlan(test.plan, test.host); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v at %s: %v", test.plan, test.host, err)
		}
	}
}

// Another person who was given an address can be chosen on the page, too.
func TestPage_OtherSubject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	subjects := map[string]bool{}
	for _, ticks := range []url.Values{{}, {"other": {"yes"}}} {
		ticks.Set("name", "Ada")
		ticks.Set("email", "ada@x.test")
		ticks.Set("choice", "typed")
		subjects[b.person(b.choose(request().Encode(), ticks).Get("code"))] = true
	}
	if len(subjects) != 2 {
		t.Errorf("the subjects are %v", subjects)
	}
}
