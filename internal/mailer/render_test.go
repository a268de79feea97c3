package mailer

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"portico/internal/clock"
	"portico/internal/goldentest"
	"portico/internal/legible"
	"portico/internal/locale"
)

// templates returns all templates.
func templates() []string { return slices.Sorted(maps.Keys(layouts)) }

func newMailer(t testing.TB, change func(*Config)) *Mailer {
	t.Helper()
	catalogue, err := locale.Load(os.DirFS("../../web/src/i18n/messages"))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		From: "Portico <no-reply@x.test>", PublicURL: "https://id.x.test", Brand: "Portico",
		Catalogue: catalogue, Clock: clock.NewManual(time.Date(2026, time.November, 20, 14, 5, 0, 0, time.UTC)),
	}
	if change != nil {
		change(&cfg)
	}
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	return m
}

func message(template, locale string) Message {
	msg := Message{
		ID: "01jd2m4x", Template: template, To: "ada@x.test", Locale: locale,
		Data: map[string]string{
			"code": "123456", "minutes": "10",
			"link":        "https://id.x.test/auth/confirm-link?token=4kTzq1bV0o9dPzJtC2pX8mE5nYhRsLwA7uGfQiKjB3c",
			"signin_link": "https://id.x.test/auth/signin", "reset_link": "https://id.x.test/auth/forgot-password",
			"people_link": "https://id.x.test/auth/admin/people?state=waiting", "count": "3",
			"alarm_link": "https://id.x.test/auth/not-me?token=4kTzq1bV0o9dPzJtC2pX8mE5nYhRsLwA7uGfQiKjB3c",
			"left":       "3", "address": "ada@work.test", "event": "trust_ended", "provider": "Google", "browser": "Firefox", "system": "Linux", "at": "2026-11-20T14:05:00Z", "erase_at": "2026-12-04T14:05:00Z", "key": "HR import", "ends_at": "2026-12-04T14:05:00Z", "until": "2026-11-27T14:05:00Z", "words": "See https://x.test",
		},
	}
	if template == "grant-reused" {
		msg.Data["app"] = "Miniflux"
	}
	return msg
}

func TestRender_Golden(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	for _, loc := range m.catalogue.Locales() {
		var all strings.Builder
		for _, name := range templates() {
			r, err := m.Render(message(name, loc))
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString("===== " + name + "\nSubject: " + r.Subject + "\n\n" + r.Text + "\n")
		}
		for _, name := range []string{"new-device", "address-added", "provider-removed", "signin-blocked"} {
			msg := message(name, loc)
			delete(msg.Data, "alarm_link")
			r, err := m.Render(msg)
			if err != nil {
				t.Fatal(err)
			}
			all.WriteString("===== " + name + ", to an address that raises no alarm\n\n" + r.Text + "\n")
		}
		goldentest.File(t, "testdata/mails."+loc+".txt", all.String())
	}
}

func TestRender_EveryTemplateIsWellMade(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	for _, loc := range m.catalogue.Locales() {
		for _, name := range templates() {
			r, err := m.Render(message(name, loc))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(r.HTML, `<html lang="`+loc+`"`) || strings.Count(r.HTML, "<h1") != 1 || strings.Count(r.HTML, "<title>") != 1 {
				t.Errorf("%s %s: language, heading or title", loc, name)
			}
			if strings.Contains(r.HTML, `dir="rtl"`) != (loc == "ar") {
				t.Errorf("%s %s: direction", loc, name)
			}
			// An email loads no images, fonts or trackers when it is opened.
			for _, no := range []string{"<img", "<link", "<script", "src=", "url(", "@import", "cid:", "{", "mail." + name + ".", "mail.common."} {
				text := r.HTML
				if no == "{" { // braces occur in the style sheet only
					_, text, _ = strings.Cut(r.HTML, "</style>")
				}
				if strings.Contains(text, no) || strings.Contains(r.Text, no) && no != "src=" {
					t.Errorf("%s %s holds %q", loc, name, no)
				}
			}
			if strings.Contains(r.Text, "123456") != (name == "verify-address" || name == "recover" || name == "take-back" || name == "signin-code" || name == "confirm-address") {
				t.Errorf("%s %s: the code is where it does not belong, or missing", loc, name)
			}
		}
	}
}

func TestRender_LeavesOutWhatIsNotKnown(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	msg := message("no-account", "en")
	msg.Data = nil
	r, err := m.Render(msg)
	if err != nil {
		t.Fatal(err)
	}
	for _, no := range []string{"Browser:", "Time:", "Go to sign in"} {
		if strings.Contains(r.Text+r.HTML, no) {
			t.Errorf("the email holds %q", no)
		}
	}
	msg.Data = map[string]string{"browser": "Firefox"}
	if r, err = m.Render(msg); err != nil || !strings.Contains(r.Text, "Browser: Firefox\n") {
		t.Errorf("%v\n%s", err, r.Text)
	}
}

// A later version that runs alongside this one may enqueue an email about an event that
// has no text here.
func TestRender_EventOfALaterVersion(t *testing.T) {
	t.Parallel()
	msg := message("account-changed", "en")
	msg.Data["event"] = "moon_landed"
	r, err := newMailer(t, nil).Render(msg)
	if err != nil || strings.Contains(r.Text+r.HTML, "moon_landed") || !strings.Contains(r.Text, "Something else happened in your account.") {
		t.Errorf("%v\n%s", err, r.Text)
	}
}

// The legal pages are in both parts, and a sender who reads replies does not say
// otherwise.
func TestRender_LegalPagesAndReplies(t *testing.T) {
	t.Parallel()
	m := newMailer(t, func(c *Config) {
		c.Imprint, c.Privacy, c.ReplyTo = "https://x.test/imprint", "https://x.test/privacy?a=1&b=2", "Help <help@x.test>"
		c.Terms = "https://x.test/terms"
	})
	for loc, names := range map[string][3]string{"en": {"Legal notice", "Privacy policy", "Terms of use"}, "de": {"Impressum", "Datenschutz", "Nutzungsbedingungen"}} {
		r, err := m.Render(message("recover", loc))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{names[0] + ": https://x.test/imprint\n", names[1] + ": https://x.test/privacy?a=1&b=2\n", names[2] + ": https://x.test/terms\n"} {
			if !strings.Contains(r.Text, want) {
				t.Errorf("%s: the text lacks %q", loc, want)
			}
		}
		for _, want := range []string{`<a href="https://x.test/imprint"`, ">" + names[0] + "</a>", `<a href="https://x.test/privacy?a=1&amp;b=2"`, ">" + names[1] + "</a>"} {
			if !strings.Contains(r.HTML, want) {
				t.Errorf("%s: the page lacks %q", loc, want)
			}
		}
		if strings.Contains(r.Text, "Replies aren't read") || strings.Contains(r.Text, "werden nicht gelesen") {
			t.Errorf("%s: the email says that nobody reads replies\n%s", loc, r.Text)
		}
	}
	sent, err := m.compose(message("recover", "en"))
	if err != nil || !strings.Contains(string(sent.content), "Reply-To: \"Help\" <help@x.test>\r\n") {
		t.Errorf("%v\n%s", err, sent.content)
	}
	if _, err := New(Config{From: "a@x.test", PublicURL: "https://x.test", ReplyTo: "b@x.test\r\nBcc: c@x.test"}); err == nil {
		t.Error("an address for replies may hold a line end")
	}
}

func TestRender_UnknownLocaleIsTheDefault(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	for _, loc := range []string{"", "xx", "x\r\nBcc: a@evil.test"} {
		r, err := m.Render(message("recover", loc))
		if err != nil || !strings.Contains(r.HTML, `<html lang="en"`) {
			t.Errorf("%q: %v", loc, err)
		}
	}
}

func TestRender_RefusesUnfitValues(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	tests := []struct{ name, value string }{
		{"code", ""}, {"code", "12345a"}, {"code", "123456\r\nBcc: a@evil.test"}, {"code", "１２３４５６"},
		{"minutes", "0"}, {"minutes", "soon"}, {"at", "yesterday"}, {"erase_at", "soon"},
		{"link", "https://evil.test/"}, {"link", "http://id.x.test/"}, {"link", "//id.x.test/"},
		{"link", "/auth/confirm-link"}, {"link", "javascript:alert(1)"}, {"link", "https://id.x.test@evil.test/"},
		{"link", "https://u:p@id.x.test/"}, {"link", "https://id.x.test:8443/"}, {"link", "https://id.x.test.evil.test/"},
		{"link", "https://id.x.test/\r\n.\r\n"}, {"link", "https://id.x.test/a b"}, {"link", "https://id.x.test/\"><b>"},
		{"link", "https://id.x.test/ü"}, {"reset_link", "https://evil.test/"},
	}
	for _, tt := range tests {
		msg := message("verify-address", "en")
		msg.Data[tt.name] = tt.value
		if r, err := m.Render(msg); err == nil {
			t.Errorf("%s = %q was accepted:\n%s", tt.name, tt.value, r.Text)
		}
	}
	if _, err := m.Render(message("nobody", "en")); err == nil {
		t.Error("an unknown template was accepted")
	}
}

// hostile returns values that try to become more than text.
func hostile() []string {
	return []string{
		"x\r\nBcc: a@evil.test\r\n\r\nbody",
		"x\nX-Evil: 1", "x\r.\r\nQUIT", "\u2028x\u2029y\u0085z", "\n.\n",
		strings.Repeat("A", 10<<10), strings.Repeat("ü ", 5<<10),
		`<a href=//evil.test>Claim</a>`, `"><script>alert(1)</script>`, `</title><img src=//evil.test>`,
		"http://evil.test win", "www.evil.test", "evil.test/x", "a@evil.test", "see https://evil.test/?q=1",
		"\u202ecod\u202c \u200b\u2066x\u2069\ufeff", "{code} {{.Link}} %s ${x}",
		"👩‍💻 emoji", "=?utf-8?q?x=0d=0aBcc:_a=40evil.test?=", "=?utf-8?q?x=e2=80=aey?=", "\xff\xfe",
	}
}

func TestRender_HostileValuesStayText(t *testing.T) {
	t.Parallel()
	for i, value := range hostile() {
		m := newMailer(t, func(c *Config) { c.Brand = value })
		for _, name := range templates() {
			msg := message(name, "en")
			for _, key := range []string{"provider", "browser", "system"} {
				msg.Data[key] = value
			}
			r, err := m.Render(msg)
			if err != nil {
				t.Fatalf("%d %s: %v", i, name, err)
			}
			checkPlain(t, r)
		}
	}
}

var href = regexp.MustCompile(`(?i)<[^>]*\s(?:href|src)\s*=\s*"?([^"\s>]*)`)

// checkPlain checks that an email has only the links and the structure of its
// template.
func checkPlain(t *testing.T, r Rendered) {
	t.Helper()
	if legible.Check(strings.ReplaceAll(r.Subject, joint, "")) != nil || utf8.RuneCountInString(r.Subject) > 300 {
		t.Errorf("subject %q", r.Subject)
	}
	for _, link := range href.FindAllStringSubmatch(r.HTML, -1) {
		if !strings.HasPrefix(link[1], "https://id.x.test") {
			t.Errorf("a link leads to %q", link[1])
		}
	}
	for _, no := range []string{"<script", "<img", "<b>", "\u202e", "\u2066", "\u200b", "\r", "\u2028"} {
		if strings.Contains(r.HTML, no) || strings.Contains(r.Text, no) && no[0] != '<' {
			t.Errorf("the email holds %q", no)
		}
	}
	for _, text := range []string{r.Subject, r.HTML, r.Text} {
		for _, no := range []string{"evil.test", "://evil", "a@evil"} {
			if strings.Contains(text, no) {
				t.Errorf("%q would become a link in\n%.2000s", no, text)
			}
		}
	}
	if strings.Count(r.HTML, "<h1") != 1 || len(r.Text) > 8<<10 {
		t.Errorf("the structure has changed, or %d bytes", len(r.Text))
	}
}

func FuzzRender(f *testing.F) {
	for _, value := range hostile() {
		f.Add(value)
	}
	m := newMailer(f, nil)
	f.Fuzz(func(t *testing.T, value string) {
		msg := message("provider-linked", "en")
		msg.Data["provider"], msg.Data["browser"], msg.Data["system"] = value, value, ""
		r, err := m.Render(msg)
		if err == nil {
			checkPlain(t, r)
		}
	})
}
