package dev_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/secret"
	"portico/internal/store/pgtest"
)

// trial is a running `portico dev`, and a browser.
type trial struct {
	*testing.T
	origin  string
	browser http.Client
}

func try(t *testing.T, environ ...string) *trial {
	t.Helper()
	cfg := settings(t, t.TempDir(), environ...)
	if os.Getenv(pgtest.Engine) == "postgres" {
		cfg.DatabaseURL = pgtest.Empty(t)
		if _, err := secret.CreateKey(cfg.SecretFile); err != nil {
			t.Fatal(err)
		}
	}
	printed, stop, err := start(t, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return (&trial{T: t, origin: regexp.MustCompile(`http://localhost:\d+`).FindString(printed)}).another()
}

// another returns a new browser of the same trial.
func (p *trial) another() *trial {
	jar, _ := cookiejar.New(nil) // never fails without options
	return &trial{p.T, p.origin, http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// ask sends a request below the prefix of the tests, and decodes the answer. A body makes it a write.
func (p *trial) ask(path, body string, into any) (status int) {
	p.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(p.Context(), method, p.origin+"/auth/api/dev/"+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Origin", p.origin)
	answer, err := p.browser.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		p.Fatalf("%s: %v in %s", path, err, text)
	}
	return answer.StatusCode
}

// open returns the status and the text of a page.
func (p *trial) open(path string) (int, string) {
	p.Helper()
	r, err := http.NewRequestWithContext(p.Context(), http.MethodGet, p.origin+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Accept", "application/json")
	answer, err := p.browser.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

// who is what a sign-in answers.
type who struct {
	ID, Email, Name, ACR, Title string
	Roles, Methods              []string
	Mail                        int
}

// A test signs in whom it wants, with the proofs that it wants.
func TestTester_Session(t *testing.T) {
	t.Parallel()
	p := try(t, "PORTICO_SESSION_IDLE=30d")
	var first, again, seeded who
	if status := p.ask("session", `{"roles": ["admin", "a", "a"], "acr": "2", "age": "2h", "name": "Ada", "claims": {"quota": 5}}`, &first); status != 200 {
		t.Fatalf("a new person gets %d %+v", status, first)
	}
	if first.Name != "Ada" || strings.Join(first.Roles, " ") != "a admin" || strings.Join(first.Methods, " ") != "password totp" || first.ACR != "2" {
		t.Errorf("a new person is %+v", first)
	}
	if status, text := p.open("/admin"); status != 200 || !strings.Contains(text, "Hello, Ada") {
		t.Errorf("the page for admins is answered %d %s", status, text)
	}
	if _, text := p.open("/"); !regexp.MustCompile(`<dd>720\d seconds`).MatchString(text) {
		t.Errorf("the proof is not two hours old: %s", text)
	}
	second := p.another()
	if status := second.ask("session", `{"email": "`+first.Email+`", "roles": [], "methods": ["passkey"]}`, &again); status != 200 || again.ID != first.ID || again.ACR != "2" || again.Name != "Ada" {
		t.Errorf("again: %d %+v", status, again)
	}
	for _, browser := range []*trial{p, second} { // the first session goes on, and has the roles of now
		if status, _ := browser.open("/admin"); status != 403 {
			t.Errorf("without the role, the page for admins is answered %d", status)
		}
	}
	if status := p.another().ask("session", `{"email": "mara@example.com"}`, &seeded); status != 200 || seeded.Name != "Mara Lind" || strings.Join(seeded.Roles, "") != "admin" || seeded.ACR != "1" {
		t.Errorf("a seeded person: %d %+v", status, seeded)
	}
	var mail struct{ Title string }
	if status := p.ask("mail?wait=0&to="+first.Email, "", &mail); status != 404 {
		t.Errorf("the owner is told about what the test has given: %d", status)
	}
}

// The app and its rules see the level, the proofs and the claims that a test wants.
func TestTester_Proofs(t *testing.T) {
	t.Parallel()
	var token string
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { token = r.Header.Get("X-Portico-Token") }))
	defer app.Close()
	p := try(t, "PORTICO_UPSTREAM="+app.URL, "PORTICO_RULES=mfa /vault, signed-in /*", "PORTICO_EXTRA_CLAIMS=quota = claim.quota")
	for body, want := range map[string]struct {
		vault int
		amr   []string
	}{
		`{"claims": {"quota": 5}}`:                                             {401, []string{"password"}},
		`{"claims": {"quota": 5}, "acr": "2"}`:                                 {200, []string{"password", "totp"}},
		`{"claims": {"quota": 5}, "methods": ["provider:example"]}`:            {401, []string{"provider:example"}},
		`{"claims": {"quota": 5}, "methods": ["provider:example"], "acr":"2"}`: {200, []string{"provider:example"}},
		`{"claims": {"quota": 5}, "methods": ["passkey"]}`:                     {200, []string{"passkey"}},
	} {
		browser := p.another()
		browser.ask("session", body, nil)
		vault, _ := browser.open("/vault")
		browser.open("/")
		var claims struct {
			Quota int
			AMR   []string
		}
		if payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token+"..", ".")[1]); err != nil || json.Unmarshal(payload, &claims) != nil {
			t.Fatalf("%s: the token is %q", body, token)
		}
		if vault != want.vault || claims.Quota != 5 || !slices.Equal(claims.AMR, want.amr) {
			t.Errorf("%s: %d %+v", body, vault, claims)
		}
	}
}

// Workers that give no address never meet, and two that give the same one share a person.
func TestTester_Workers(t *testing.T) {
	t.Parallel()
	p := try(t)
	var group sync.WaitGroup
	alone, shared := make([]who, 8), make([]who, 8)
	for i := range alone {
		group.Go(func() {
			p.another().ask("session", `{}`, &alone[i])
			p.another().ask("session", `{"email": "shared@example.com"}`, &shared[i])
		})
	}
	group.Wait()
	met := map[string]bool{"": true}
	for i := range alone {
		if met[alone[i].ID] || shared[i].ID == "" || shared[i].ID != shared[0].ID {
			t.Errorf("%d: %+v %+v", i, alone[i], shared[i])
		}
		met[alone[i].ID] = true
	}
}

// A wrong wish is refused with what to write, and signs nobody in.
func TestTester_Refusals(t *testing.T) {
	t.Parallel()
	p := try(t)
	for body, want := range map[string]struct {
		status int
		title  string
	}{
		`{"email": "closed@example.com"}`: {403, "disabled"},
		`{"email": "no"}`:                 {422, ""},
		`{"email": "mara@example.com", "password": "seven ladders over a canal"}`: {409, "password: "},
		`{"roles": ["No Role"]}`:                       {400, "roles: "},
		`{"email": "mara@example.com", "roles": [""]}`: {400, "roles: "},
		`{"methods": ["magic"]}`:                       {400, "methods: "},
		`{"acr": "3"}`:                                 {400, "acr: "},
		`{"acr": "1", "methods": ["totp"]}`:            {400, "acr: "},
		`{"age": "-1h"}`:                               {400, "age: "},
		`{"claims": [1]}`:                              {400, "claims: "},
		`{"role": ["admin"]}`:                          {400, `unknown field "role"`},
		`[]`:                                           {400, "JSON"},
	} {
		var got who
		if status := p.ask("session", body, &got); status != want.status || !strings.Contains(got.Title, want.title) {
			t.Errorf("%s: %d %q", body, status, got.Title)
		}
	}
	if status, _ := p.open("/auth/api/session"); status != 401 {
		t.Errorf("a refused request has signed in: %d", status)
	}
}

// The time moves for sessions and rules, and the tokens of an app have the time by which the app judges them.
func TestTester_Clock(t *testing.T) {
	t.Parallel()
	var token, age string
	app := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		token, age = r.Header.Get("X-Portico-Token"), r.Header.Get("X-Portico-Session-Age")
	}))
	defer app.Close()
	p := try(t, "PORTICO_SESSION_IDLE=1d", "PORTICO_UPSTREAM="+app.URL, "PORTICO_RULES=fresh:12h /fresh, signed-in /*")
	p.ask("session", `{}`, nil)
	if status, _ := p.open("/fresh"); status != 200 {
		t.Errorf("a new session is answered %d", status)
	}
	var now struct{ Forward, Title string }
	if status := p.ask("clock", `{"forward": "23h"}`, &now); status != 200 || now.Forward != "23h0m0s" {
		t.Errorf("%d %+v", status, now)
	}
	if status, _ := p.open("/fresh"); status != 401 {
		t.Errorf("a rule for a recent sign-in is answered %d", status)
	}
	status, _ := p.open("/")
	var claims struct {
		Issued  int64 `json:"iat"`
		Expires int64 `json:"exp"`
		Proven  int64 `json:"auth_time"`
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token+"..", ".")[1])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	here := time.Now().Unix()
	if err != nil || status != 200 || claims.Issued > here || claims.Expires < here || claims.Proven > here-23*3600 || claims.Proven < here-24*3600 || !strings.HasPrefix(age, "828") {
		t.Errorf("after 23 hours: %d, %+v at %d, %s seconds (%v)", status, claims, here, age, err)
	}
	p.ask("clock", `{"forward": "1d"}`, nil)
	if status, _ := p.open("/"); status != 401 {
		t.Errorf("a session that was idle for a day is answered %d", status)
	}
	for _, wrong := range []string{"", "-1h", "0s", "soon", "9999d"} {
		if status := p.ask("clock", `{"forward": "`+wrong+`"}`, &now); status != 400 || !strings.HasPrefix(now.Title, "forward: ") {
			t.Errorf("%q: %d %q", wrong, status, now.Title)
		}
	}
	if p.ask("clock", "", &now); now.Forward != "47h0m0s" {
		t.Errorf("the clock is %s ahead", now.Forward)
	}
}

// With a mail server or providers of its own, a trial says why it has no mailbox and no stand-in.
func TestTester_Own(t *testing.T) {
	t.Parallel()
	p := try(t, "PORTICO_SMTP_URL=smtp://127.0.0.1:1?tls=none", "PORTICO_MAIL_FROM=no-reply@example.com",
		"PORTICO_PROVIDERS_GOOGLE_CLIENT_ID=x", "PORTICO_PROVIDERS_GOOGLE_CLIENT_SECRET=y")
	var got who
	if status := p.ask("mail?to=a@example.com", "", &got); status != 404 || !strings.Contains(got.Title, "smtp_url") {
		t.Errorf("mail: %d %q", status, got.Title)
	}
	if status := p.ask("provider", `{"fails": "cancelled"}`, &got); status != 404 || !strings.Contains(got.Title, "providers") {
		t.Errorf("provider: %d %q", status, got.Title)
	}
	if status := p.ask("session", `{}`, &got); status != 200 || got.Mail != 0 {
		t.Errorf("session: %d %+v", status, got)
	}
}
