package security

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"portico/internal/config"
	"portico/internal/locale"
	"portico/internal/mailer"
	"portico/internal/testform"
	"portico/web"
)

// hostile is a text that is markup, an action of a template, the end of a script
// and a header, wherever it is not text.
const hostile = `</script></title><script>alert(1)</script><img src=x onerror=alert(1)>"' onfocus="alert(1)" {{.boot}}{{html .next}}{{template "x"}}{{range .locales}}{{end }} <!-- ]]> &lt;b&gt; \r\nBcc: evil@evil.test\u000d {`

var placeholders = regexp.MustCompile(`\{\w+\}`)

// hostileTexts returns a folder in which every text of these locales is hostile.
func hostileTexts(t *testing.T, catalogue *locale.Catalogue, locales ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, loc := range locales {
		own, err := catalogue.JSON(loc, catalogue.Keys())
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(own, &all); err != nil {
			t.Fatal(err)
		}
		spoil := func(text any) string {
			return hostile + strings.Join(placeholders.FindAllString(text.(string), -1), "{") + "{"
		}
		for key, value := range all {
			if byForm, ok := value.(map[string]any); ok {
				for form, text := range byForm {
					byForm[form] = spoil(text) // a form without its number gets none
				}
				continue
			}
			all[key] = spoil(value)
		}
		text, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, folder+"/"+loc+".json", string(text))
	}
	return folder
}

// skeleton returns the elements of a document with the names of their attributes,
// its comments, and its texts.
func skeleton(t *testing.T, document string) (elements []string, texts string) {
	t.Helper()
	var words strings.Builder
	for z := html.NewTokenizer(strings.NewReader(document)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return elements, words.String()
		case html.TextToken:
			words.WriteString(z.Token().Data)
		default:
			token := z.Token()
			shape := token.Type.String() + " " + token.Data
			for _, a := range token.Attr {
				shape += " " + a.Key
			}
			elements = append(elements, shape)
		}
	}
}

func TestSEC260_TextsOfTheOperatorAreTextEverywhere(t *testing.T) {
	announce(t)
	t.Parallel()
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	folder := hostileTexts(t, catalogue, "en", "ar")
	plain, s := startWhole(t), startWhole(t, func(c *config.Config) { c.Texts = folder })
	languages := []string{"ar"}
	if testform.Full() {
		languages = append(languages, "en")
	}
	for _, language := range languages {
		clean, spoilt := plain.visitor(), s.visitor()
		clean.header["Accept-Language"], spoilt.header["Accept-Language"] = []string{language}, []string{language}
		same := func(what string, before, after *answer) {
			t.Helper()
			want, _ := skeleton(t, before.body)
			got, words := skeleton(t, after.body)
			if before.status != after.status || !slices.Equal(got, want) {
				t.Errorf("%s, %s: %d elements are %d: %s", language, what, len(want), len(got), firstOther(got, want))
			}
			if after.header.Get("Content-Type") == "text/html; charset=utf-8" && !strings.Contains(words, hostile) {
				t.Errorf("%s, %s: the text is not shown as typed", language, what)
			}
			if policy := after.header.Get("Content-Security-Policy"); policy != before.header.Get("Content-Security-Policy") {
				t.Errorf("%s, %s: another policy: %s", language, what, policy)
			}
		}
		for _, target := range append(pages(), "/auth/error?code=flow.unknown", "/auth/verify-code?flow=x") {
			same(target, clean.get(target), spoilt.get(target))
		}
		for target, fields := range map[string]map[string][]string{
			"/auth/signin":          {"email": {"no address"}, "password": {""}},
			"/auth/signup":          {"email": {"a@x.test"}, "password": {"x"}, "confirm_password": {"y"}},
			"/auth/forgot-password": {"email": {""}},
			"/auth/confirm-link":    {"mark": {"x"}},
		} {
			same("the form "+target, clean.form(target, fields), spoilt.form(target, fields))
		}
		for _, v := range []*visitor{clean, spoilt} {
			address := fresh("texts")
			v.operator(address, good)
			v.signIn(address, good).must(200)
		}
		for _, target := range pages() {
			same("signed in, "+target, clean.get(target), spoilt.get(target))
		}
		toClient := codeRequest("response_mode", "form_post")
		same("the form to a client", clean.authorize(toClient).must(200), spoilt.authorize(toClient).must(200))
		s.mailsAreText(plain, language)
	}
}

func firstOther(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("%q is %q", want[i], got[i])
		}
	}
	return "one has more"
}

// mailsAreText compares all emails with the emails of a Portico without texts.
func (s *site) mailsAreText(plain *site, language string) {
	s.Helper()
	data := map[string]string{
		"code": "123456", "minutes": "10", "link": s.origin + "/auth/confirm-link?token=x", "signin_link": s.origin + "/auth/signin",
		"reset_link": s.origin + "/auth/forgot-password", "alarm_link": s.origin + "/auth/not-me?token=x", "erase_at": "2026-05-18T10:00:00Z", "until": "2026-05-18T10:00:00Z", "words": "Welcome", "key": "Sync", "ends_at": "2026-05-18T10:00:00Z", "provider": "Corp", "left": "3", "count": "2", "people_link": s.origin + "/auth/admin/people?state=waiting", "event": "trust_ended", "browser": "Firefox", "system": "Linux", "at": "2026-05-04T10:00:00Z", "address": "a@x.test", "app": "The App",
	}
	seen := 0
	for _, key := range catalogueKeys(s.T) {
		template, isSubject := strings.CutSuffix(strings.TrimPrefix(key, "mail."), ".subject")
		if !isSubject {
			continue
		}
		seen++
		m := mailer.Message{ID: "x", Template: template, To: "a@x.test", Locale: language, Data: data}
		before, err := plain.app.Mailer.Render(m)
		if err != nil {
			s.Fatal(err)
		}
		after, err := s.app.Mailer.Render(m)
		if err != nil {
			s.Fatal(err)
		}
		want, _ := skeleton(s.T, before.HTML)
		got, words := skeleton(s.T, after.HTML)
		if !slices.Equal(got, want) || !strings.Contains(words, hostile) {
			s.Errorf("%s, email %s: %s", language, template, firstOther(got, want))
		}
		if strings.ContainsAny(after.Subject, "\r\n") || !strings.Contains(after.Subject, hostile) {
			s.Errorf("%s, email %s: the subject is %q", language, template, after.Subject)
		}
		if strings.Count(after.Text, "\n") != strings.Count(before.Text, "\n") || !strings.Contains(after.Text, hostile) {
			s.Errorf("%s, email %s: the plain text has other lines", language, template)
		}
	}
	if seen < 15 {
		s.Errorf("only %d emails were looked at", seen)
	}
	address := fresh("texts")
	v := s.visitor()
	v.header["Accept-Language"] = []string{language}
	v.signUp(address, good)
	sent := s.mail.next(address)
	if h := sent.header(s.T); len(h["Bcc"]) != 0 || len(sent.recipients) != 1 || sent.recipients[0] != address || !strings.Contains(sent.subject(s.T), hostile) {
		s.Errorf("%s: the headers are %v, the recipients %v", language, h, sent.recipients)
	}
}

func catalogueKeys(t *testing.T) []string {
	t.Helper()
	catalogue, err := locale.Load(web.Messages)
	if err != nil {
		t.Fatal(err)
	}
	return catalogue.Keys()
}

// A line break or a mark that turns the direction of text never gets as far.
func TestSEC260_TextsHaveNoCharactersThatBreakOut(t *testing.T) {
	announce(t)
	t.Parallel()
	for name, text := range map[string]string{
		"CR LF": "{code} {brand}\r\nBcc: evil@evil.test", "LF": "{code} {brand}\nx", "NUL": "{code} {brand}\x00", "escape": "{code} {brand}\x1b[31m",
		"next line": "{code} {brand}\u0085", "line separator": "{code} {brand}\u2028", "override": "{code} {brand}\u202e", "embedding": "{code}\u202a {brand}",
		"encoded word": "{code} {brand} =?utf-8?q?=0D=0ABcc:_evil?=", "isolate": "{code} {brand}\u2067", "mark of a document": "\ue002mail.recover.subject\ue004{code} {brand}", "lost code": "{brand}", "value of another text": "{code} {brand} {link}",
	} {
		folder := t.TempDir()
		data, err := json.Marshal(map[string]string{"mail.recover.subject": text})
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, folder+"/en.json", string(data))
		refused(t, name, "mail.recover.subject", func(c *config.Config) { c.Texts = folder })
	}
}
