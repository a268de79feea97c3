package security

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/config"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/legible"
	"portico/internal/place"
	"portico/internal/place/placetest"
)

// marks are texts of which people see something else than is there.
func marks() []string {
	return []string{
		"a\u202eb", "a\u202ab", "a\u2066b\u2069", "a\u200eb", "a\u200fb", "a\u061cb", "a\u200bb", "a\u2060b", "a\ufeffb", "a\u00adb", "pay\u200dpal", "a\u200cb", "a\u3164b", "a\U000e0041b", "a\ufe0f\ufe0fb",
		"a\x00b", "a\x1b[31mb", "a\x7fb", "a\u009bb", "a\ue000b", "a\ufdd0b", "a\u0378b", "a\xffb", "a\xed\xa0\xbdb", "a\ufffdb",
	}
}

// people are names in which characters without width of their own belong.
func people() []string {
	return []string{"علی\u200cرضا", "क्\u200dष", "അനില്\u200d", "辻\U000e0100 太郎", "Zoë 👩\u200d👩\u200d👧", "👩🏽\u200d🚀 ❤\ufe0f"}
}

// problemOf loads a file of settings and returns what is wrong with one of them.
func problemOf(t *testing.T, key, file string, environ ...string) string {
	t.Helper()
	path := t.TempDir() + "/portico.toml"
	writeFile(t, path, file)
	cfg, err := config.Load(path, environ)
	if err == nil {
		err = app.Check(cfg)
	}
	var problems config.Problems
	if !errors.As(err, &problems) {
		return ""
	}
	at := slices.IndexFunc(problems, func(p config.Problem) bool { return p.Key == key })
	if at < 0 {
		return ""
	}
	return problems[at].Why
}

// Each setting whose value stands in quotes is tried, also one that is new.
func TestSEC350_NoSettingHasHiddenMarks(t *testing.T) {
	announce(t)
	t.Parallel()
	const tables = "[providers.corp]\nclient_id = \"c\"\n[[app]]\nname = \"a\"\n[[client]]\nid = \"c\"\n"
	path := t.TempDir() + "/portico.toml"
	writeFile(t, path, tables)
	all, _ := config.Load(path, nil)
	tried := 0
	for _, e := range all.Entries() {
		form := map[byte]string{'"': "%s", '[': "[%s]"}[e.Value[0]]
		if form == "" {
			continue // a number, or true or false
		}
		tried++
		for _, mark := range []string{`\u202E`, `\n`, `\u200B`, `\uE000`} {
			table, name := "", e.Key
			if at := strings.LastIndexByte(name, '.'); at >= 0 {
				table, name = "["+name[:at]+"]\n", name[at+1:]
			}
			table = strings.NewReplacer("[app.1]", "[[app]]", "[client.1]", "[[client]]").Replace(table)
			want := "U+" + strings.TrimPrefix(strings.Replace(mark, `\n`, `\u000A`, 1), `\u`)
			value := `"hush` + mark + `hush"`
			if e.Key == "client.1.jwks" || strings.HasSuffix(e.Key, ".private_key") {
				if mark == `\n` {
					continue // a key stands on several lines
				}
			}
			why := problemOf(t, e.Key, table+name+" = "+fmt.Sprintf(form, value)+"\n")
			if !strings.Contains(why, want) || strings.Contains(why, "hush") {
				t.Errorf("%s with %s: %q", e.Key, mark, why)
			}
		}
		if e.Env == "" {
			continue
		}
		for _, mark := range marks() {
			if why := problemOf(t, e.Env, "", e.Env+"="+mark); !strings.Contains(why, "U+") {
				t.Errorf("%s is %+q: %q", e.Env, mark, why)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d settings have been tried", tried)
	}
	secret := t.TempDir() + "/secret"
	writeFile(t, secret, "hush\u202ehush")
	for _, file := range []string{"PORTICO_SMTP_URL_FILE", "PORTICO_PROVIDERS_CORP_CLIENT_SECRET_FILE"} {
		if why := problemOf(t, file, "", file+"="+secret); !strings.Contains(why, "U+202E") || strings.Contains(why, "hush") {
			t.Errorf("%s: %q", file, why)
		}
	}
	if why := problemOf(t, "mail_from", `mail_from = "=?utf-8?q?x=E2=80=AEy?= <a@x.test>"`); !strings.Contains(why, "U+202E") {
		t.Errorf("the encoded name of the sender: %q", why)
	}
	for _, name := range people() {
		if why := problemOf(t, "brand.name", `brand.name = "`+name+`"`); why != "" {
			t.Errorf("the brand %q: %s", name, why)
		}
	}
}

// Names that people type are refused, and not changed.
func TestSEC350_NoTypedNameHasHiddenMarks(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, func(c *config.Config) { c.SignUp.Name = "required" })
	v := s.visitor()
	address := fresh("v")
	v.operator(address, good)
	v.signIn(address, good).must(200)
	a, challenge := v.offered()
	v.add(a.Create(challenge)).must(200)
	var id string
	if err := s.database().QueryRow(`SELECT id FROM passkey`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	operators := func(name string) error {
		_, err := s.app.Operator.CreateUser(t.Context(), flow.ByOperator, fresh("o"), name, "")
		return err
	}
	owner, err := s.app.Operator.User(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range marks() {
		signUp := url.Values{"email": {fresh("n")}, "password": {good}, "confirm_password": {good}, "name": {mark}}
		for what, status := range map[string]int{
			"sign-up": s.visitor().form("/auth/signup", signUp).status,
			"profile": v.post("account/profile", object{"name": mark, "account": v.id()}).status,
			"passkey": v.post("account/passkeys/rename", object{"name": mark, "account": v.id(), "id": id}).status,
		} {
			if status != 422 && status != 400 {
				t.Errorf("%s: the name %+q gets status %d", what, mark, status)
			}
		}
		for what, err := range map[string]error{"user create": operators(mark), "user set-name": s.app.Operator.SetUserName(t.Context(), flow.ByOperator, owner.ID, mark)} {
			if err == nil || len(fault.From(err).Fields) != 1 || fault.From(err).Fields[0].Code != account.CodeNameCharacter {
				t.Errorf("%s %+q: %v", what, mark, err)
			}
		}
	}
	for _, name := range people() {
		if err := s.app.Operator.SetUserName(t.Context(), flow.ByOperator, owner.ID, name); err != nil {
			t.Errorf("user set-name %q: %v", name, err)
		}
		if u, err := s.app.Operator.User(t.Context(), address); err != nil || u.Name != name {
			t.Errorf("%+q is %+q (%v)", name, u.Name, err)
		}
	}
}

// No user can correct the words of a provider or of a database of places, so marks are removed.
// No page shows the words of a guest about itself.
func TestSEC350_NamesFromElsewhereAreCleaned(t *testing.T) {
	announce(t)
	t.Parallel()
	s, p := startWithIDP(t, true, withRegistration)
	for i, mark := range append(marks(), people()...) {
		address := fresh("p")
		p.says(object{"sub": fmt.Sprint("subject-", i), "email": address, "email_verified": true, "name": "Mara " + mark})
		v := s.visitor()
		v.continueWith(p)
		u, err := s.app.Operator.User(t.Context(), address)
		if err != nil || legible.Check(u.Name) != nil || !strings.HasPrefix(u.Name, "Mara ") {
			t.Errorf("the provider says %+q, and the account has %+q (%v)", mark, u.Name, err)
		}
		if i >= len(marks()) && u.Name != "Mara "+mark {
			t.Errorf("the name %+q is changed to %+q", mark, u.Name)
		}
	}

	v := s.visitor()
	v.register(fresh("v"))
	app := s.registers(s.initialToken(1), object{"client_name": "My\u202eBank", "client_name#ar": "x\u2067y", "contacts": []string{"a\u200bb"}})
	app.must(201)
	page := v.authorize(app.request())
	if page.status == 303 {
		page = v.get(page.header.Get("Location"))
	}
	for what, text := range map[string]string{"registration": app.body, "consent": page.body} {
		if strings.Contains(text, "My") && strings.Contains(text, "Bank") || strings.ContainsAny(text, "\u202e\u2067\u200b") {
			t.Errorf("the %s shows what the app says about itself: %s", what, text)
		}
	}
	if !strings.Contains(page.body, "app.test") {
		t.Errorf("this is no consent page: %d %s", page.status, page.body)
	}

	file := t.TempDir() + "/places.mmdb"
	placetest.Write(t, file, "Test-City")
	places, err := place.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	if got := places.Of(placetest.Marked+"/32", "en"); got != "Paris, Ecnarf" {
		t.Errorf("the place is %+q", got)
	}
}
