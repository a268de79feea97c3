package security

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// canaries returns the secrets of a journey in every encoding in which they
// could be stored.
func canaries(secrets map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range secrets {
		all[name] = value
		all[name+" in hex"] = hex.EncodeToString([]byte(value))
		all[name+" in base64"] = strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(value)), "=")
		if raw, err := base64.RawURLEncoding.DecodeString(value); err == nil && len(raw) >= 16 {
			all[name+" as bytes"] = string(raw)
			all[name+" as bytes in hex"] = hex.EncodeToString(raw)
		}
	}
	return all
}

// journey uses all flows and returns the secrets that it used.
func (s *site) journey() map[string]string {
	s.Helper()
	address := fresh("canary")
	v := s.visitor()
	flow := v.signUp(address, "canary-password-one 81")
	signUp := s.mail.next(address)
	v.verify(flow, signUp.code(s.T)).must(200)
	w := s.visitor()
	w.signIn(address, "canary-wrong-password 82")
	w.signIn(address, "canary-password-one 81").must(200)
	r := s.visitor()
	recovery := r.forgot(address)
	reset := lastEmail(s, s.mail, address)
	r.open(reset.token(s.T)).must(200)
	r.post("confirm-link", object{}).must(200)
	r.reset(recovery, "canary-password-two 83").must(200)
	pending := s.visitor() // a flow that is not finished
	pending.signUp(fresh("pending"), "canary-password-three 84")
	s.settle()
	return map[string]string{
		"password 1": "canary-password-one 81", "wrong password": "canary-wrong-password 82",
		"password 2": "canary-password-two 83", "password 3": "canary-password-three 84",
		"sign-up link": signUp.token(s.T), "reset link": reset.token(s.T),
		"session 1": v.cookie("session"), "session 2": w.cookie("session"), "session 3": r.cookie("session"),
		"browser 1": v.cookie("browser"), "browser 4": pending.cookie("browser"),
		"device 1": v.cookie("device"), "device 2": w.cookie("device"),
		"sign-up code": signUp.code(s.T), "reset code": reset.code(s.T),
	}
}

func TestSEC040_NoUsableSecretInTheDatabase(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	secrets := s.journey()
	codes := []string{secrets["sign-up code"], secrets["reset code"]}
	delete(secrets, "sign-up code")
	delete(secrets, "reset code")
	files := s.files()
	if s.onSQLite() {
		backup := filepath.Join(t.TempDir(), "backup.db")
		if err := s.app.Store.Backup(t.Context(), backup); err != nil {
			t.Fatal(err)
		}
		copied, err := os.ReadFile(backup)
		if err != nil {
			t.Fatal(err)
		}
		files["a backup"] = string(copied)
	}
	for where, text := range files {
		for name, value := range canaries(secrets) {
			if value != "" && strings.Contains(text, value) {
				t.Errorf("%s holds the %s", where, name)
			}
		}
	}
	// Six digits occur by chance in any file, so only whole values count.
	for table, rows := range s.rows() {
		for _, row := range rows {
			for value := range strings.SplitSeq(row, " ") {
				_, value, _ = strings.Cut(value, "=")
				for _, code := range codes {
					if value == code || value == hex.EncodeToString([]byte(code)) {
						t.Errorf("the table %s holds a code", table)
					}
				}
			}
		}
	}
	// No stored value works as a token.
	thief := s.visitor()
	for _, rows := range s.rows() {
		for _, row := range rows {
			for value := range strings.SplitSeq(row, " ") {
				_, value, _ = strings.Cut(value, "=")
				tokens := []string{value}
				if raw, err := hex.DecodeString(value); err == nil && len(raw) >= 16 {
					tokens = append(tokens, base64.RawURLEncoding.EncodeToString(raw))
				}
				for _, token := range tokens {
					if len(token) < 20 || len(token) > 500 || strings.ContainsAny(token, "\r\n;\x00") {
						continue
					}
					a := thief.do("GET", "/auth/api/session", "", http.Header{"Cookie": {thief.cookieName("session") + "=" + token}})
					if a.status != 401 {
						t.Errorf("the stored value %.40s opens a session", token)
					}
				}
			}
		}
	}
}

func TestSEC041_CodesAndTokensAreRandom(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	people, browsers := make([]string, 40), make([]*visitor, 40)
	for i := range people {
		people[i], browsers[i] = fresh("sample"), s.visitor()
		s.operator(people[i], "")
	}
	var codes []string
	tokens := map[string]bool{}
	for want := rounds(400, 20_000); len(codes) < want; {
		before := len(s.mail.all())
		for range 4 { // the limit of one network in an hour
			for i, v := range browsers {
				clear(v.cookies)
				v.forgot(people[i])
				tokens[v.cookie("browser")] = true
			}
		}
		s.settle()
		mails := s.mail.all()[before:]
		if len(mails) != 4*len(people) {
			t.Fatalf("%d emails came, want %d", len(mails), 4*len(people))
		}
		for _, email := range mails {
			codes = append(codes, email.code(t))
			tokens[email.token(t)] = true
		}
		s.clock.Advance(12 * time.Hour)
	}
	if len(tokens) != 2*len(codes) {
		t.Errorf("%d different tokens, want %d", len(tokens), 2*len(codes))
	}
	for token := range tokens {
		if raw, err := base64.RawURLEncoding.DecodeString(token); err != nil || len(raw) < 16 {
			t.Fatalf("%q has fewer than 128 bits", token)
		}
	}
	judgeDigits(t, codes)
}

// judgeDigits compares the digits at each position of the codes with an equal
// distribution. Chance exceeds a chi-square of 39.3 (9 degrees of freedom) once
// in 100,000 runs, and 27.9 once in 1,000.
func judgeDigits(t *testing.T, codes []string) {
	t.Helper()
	figures, doubtful := []string{}, 0
	for position := range 6 {
		var seen [10]float64
		for _, code := range codes {
			seen[code[position]-'0']++
		}
		expected, chi := float64(len(codes))/10, 0.0
		for _, n := range seen {
			chi += (n - expected) * (n - expected) / expected
		}
		figures = append(figures, fmt.Sprintf("%.1f", chi))
		if chi > 27.9 {
			doubtful++
		}
		if chi > 39.3 || doubtful > 1 {
			t.Errorf("the digits at position %d are not equally distributed: chi-square %.1f", position+1, chi)
		}
	}
	t.Logf("SEC-041: %d codes, chi-square by position %v", len(codes), figures)
}

func TestSEC042_ScannersDoNotUseLinks(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	address := fresh("v")
	v := s.visitor()
	v.signUp(address, good)
	email := s.mail.next(address)
	target := "/auth/confirm-link?token=" + email.token(t)
	s.settle()
	s.unchanged("opening a mailed link", func() {
		for _, method := range []string{"HEAD", "GET", "GET"} {
			for _, h := range []http.Header{
				{}, {"Purpose": {"prefetch"}}, {"Sec-Purpose": {"prefetch;prerender"}}, {"Accept": {"text/html"}, "User-Agent": {"Mozilla/5.0 (SafeLinks)"}},
			} {
				scanner := s.visitor()
				scanner.do(method, target, "", h).keep().must(303)
				scanner.do(method, "/auth/confirm-link", "", h).must(200)
				if scanner.whoami() != "" {
					t.Error("opening a link signed in")
				}
			}
		}
	})
	v.open(email.token(t)).must(200)
	v.post("confirm-link", object{}).must(200)
	if v.whoami() != address {
		t.Error("the button does not confirm the address")
	}
}
