package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/config"
	"portico/internal/factor"
	"portico/internal/flow"
	"portico/internal/people"
	"portico/internal/server/admin"
)

const appsFile = `
public_url = "https://portico.test"
smtp_url = "smtp://localhost"
mail_from = "a@x.test"

[[app]]
name = "shop"
path = "/shop"
upstream = "http://127.0.0.1:3000"
rules = ["role:admin|editor+mfa /shop/admin/*", "signed-in /shop/open/*"]
extra_claims = ["quota = claim.quota"]

[[client]]
id = "wiki"
secret = "a-secret-that-nobody-may-see-here"
redirect_uris = ["https://wiki.test/back"]
rules = ["role:reader", "role:editor+mfa"]
scopes = ["openid", "email"]
subject = "imported"
extra_claims = ["city = claim.address.city", "tenant = 'acme'"]

[[client]]
id = "free"
public = true
redirect_uris = ["https://free.test/back"]
`

// An imported user has another id at a client that asks for it, and only there.
func TestAdminApps_ExplainImported(t *testing.T) {
	t.Parallel()
	s, explain := explained(t)
	done, err := s.desk.Import(t.Context(), flow.ByOperator, []people.Person{{Email: "kai@x.test", EmailVerified: true, Subject: &people.Subject{Issuer: "https://old.test", Value: "user-42"}}},
		flow.Import{KeepSubject: true})
	if err != nil || len(done) != 1 {
		t.Fatal(done, err)
	}
	found, err := s.desk.Imported(t.Context(), "")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	p := flow.Person{Account: account.Account{ID: found[0].AccountID, State: account.Active}}
	for id, want := range map[string]string{"wiki": "user-42", "free": found[0].AccountID} {
		if e := explain(id, "", p); !strings.Contains(e.Claims, `"sub": "`+want+`"`) {
			t.Errorf("the claims of %s are %s", id, e.Claims)
		}
	}
}

// explained returns the apps of a file, as the admin page sees them.
func explained(t *testing.T) (adminApps, func(id, url string, p flow.Person) admin.AdminExplained) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "portico.toml")
	if err := os.WriteFile(file, []byte(appsFile), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	a := open(t, settings(t, t.TempDir()), Options{Dist: dist()})
	t.Cleanup(func() { a.end(t) })
	known, problems := clients(cfg)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	s := adminApps{cfg, known, a.Operator, a.OpenID.Subject, a.clock}
	return s, func(id, url string, p flow.Person) admin.AdminExplained {
		t.Helper()
		e, err := s.Explain(t.Context(), id, url, p)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

func TestAdminApps_List(t *testing.T) {
	t.Parallel()
	s, _ := explained(t)
	all, err := s.List(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	shop, wiki := all[0], all[1]
	if shop.ID != "app~shop" || shop.Addresses[0] != "https://portico.test/shop" || len(shop.Rules) != 2 || !strings.Contains(shop.Source, "portico.toml:6") {
		t.Errorf("the app is %+v", shop)
	}
	for _, line := range []string{"[[app]]\n", `name = "shop"`, `extra_claims = ["quota=claim.quota"]`} {
		if !strings.Contains(shop.Block, line) {
			t.Errorf("the block lacks %s:\n%s", line, shop.Block)
		}
	}
	if !strings.Contains(wiki.Block, `id = "wiki"`) || strings.Contains(wiki.Block, "nobody-may-see") || strings.Contains(wiki.Block, "shop") || strings.Contains(wiki.Block, "free") {
		t.Errorf("the block of the client:\n%s", wiki.Block)
	}
}

func TestAdminApps_Explain(t *testing.T) {
	t.Parallel()
	s, explain := explained(t)
	p := flow.Person{Account: account.Account{
		ID: "id1", Address: account.Address{Mail: "mara@x.test"}, Roles: []string{"editor"}, State: account.Active,
		Claims: `{"quota":5,"address":{"city":"Bonn"}}`,
	}}
	check := func(when, id, url string, p flow.Person, allowed bool, words ...string) admin.AdminExplained {
		t.Helper()
		e := explain(id, url, p)
		all := strings.Join(e.Words, "\n")
		if e.Allowed != allowed {
			t.Errorf("%s: allowed %v, because\n%s", when, e.Allowed, all)
		}
		for _, w := range words {
			if !strings.Contains(all, w) {
				t.Errorf("%s: %q is not said in\n%s", when, w, all)
			}
		}
		return e
	}
	e := check("an app", "app~shop", "", p, true, "role:admin|editor+mfa /shop/admin/*: The person is refused, and has no second factor", "signed-in /shop/open/*: The person passes")
	for _, part := range []string{`"quota": 5`, `"roles": [`, `"sub": "id1"`} {
		if !strings.Contains(e.Claims, part) || strings.Contains(e.Claims, "Bonn") {
			t.Errorf("the claims of the app are %s", e.Claims)
		}
	}
	check("an address of it", "app~shop", "https://portico.test/shop/admin/x", p, false, "rule  1", "second factor")
	check("one without a rule", "app~shop", "https://portico.test/shop/other", p, false, "no rule matches")
	check("one of another app", "app~shop", "https://portico.test/", p, false)
	e = check("a client", "wiki", "", p, false, "role:reader: The person is refused for lack of the role")
	if !strings.Contains(e.Claims, `"city": "Bonn"`) || !strings.Contains(e.Claims, `"tenant": "acme"`) || strings.Contains(e.Claims, "groups") || strings.Contains(e.Claims, "quota") {
		t.Errorf("the claims of the client are %s", e.Claims)
	}
	if !strings.Contains(e.Claims, `"sub": "id1"`) {
		t.Errorf("the client calls a user who was not imported otherwise: %s", e.Claims)
	}
	check("a client without rules", "free", "", p, true, "every user may open it")
	p.Factors = []factor.Factor{{}}
	check("a client, with a second factor", "wiki", "", p, true)
	check("an address of the app, with a second factor", "app~shop", "https://portico.test/shop/admin/x", p, true)
	p.Account.State = account.DisabledByOperator
	check("a disabled account", "free", "", p, false, "Nobody can sign in to the account")
	for _, id := range []string{"", "shop", "app~wiki", "app~", "none"} {
		if _, err := s.Explain(t.Context(), id, "", p); !errors.Is(err, flow.NoApp) {
			t.Errorf("the app %q: %v", id, err)
		}
	}
}
