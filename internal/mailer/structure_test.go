package mailer

import (
	"html"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	anchor  = regexp.MustCompile(`(?s)<td[^>]*>\s*<a [^>]*display:inline-block[^>]*>`)
	preview = regexp.MustCompile(`mso-hide:all;">(.*?)</div>`)
	margin  = regexp.MustCompile(`<table[^>]*style="[^"]*margin`)
)

// Word draws emails in Outlook. It pads table cells and not links, and it ignores the
// margin of a table.
func TestRender_SpaceIsInCells(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	for _, name := range templates() {
		r, err := m.Render(message(name, "en"))
		if err != nil {
			t.Fatal(err)
		}
		for _, button := range anchor.FindAllString(r.HTML, -1) {
			cell, link, _ := strings.Cut(button, "<a ")
			if !regexp.MustCompile(`mso-padding-alt:\d+px \d+px`).MatchString(cell) || !strings.Contains(link, "mso-padding-alt:0;") {
				t.Errorf("%s: Word does not pad this button: %s", name, button)
			}
		}
		if found := margin.FindString(r.HTML); found != "" {
			t.Errorf("%s: Word ignores the margin of %s", name, found)
		}
	}
}

// Each element has space below, and the last one ends at the edge of the card.
func TestRender_NothingSticksTogether(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	for _, name := range templates() {
		doc, err := m.document(message(name, "en"))
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range doc.Parts {
			if last := i == len(doc.Parts)-1; last != (e.Below == 0) || !last && e.Below < 12 {
				t.Errorf("%s: %d pixels below part %d, a %s", name, e.Below, i, e.Kind)
			}
		}
		r, err := m.Render(message(name, "en"))
		if err != nil || strings.Count(r.HTML, `<tr><td style="padding:0 0 0px;`) != 1 {
			t.Errorf("%s: %v, the page does not have the space of its parts", name, err)
		}
	}
}

// A list of emails shows the first words of an email. It has no room for the logo after the preview.
func TestRender_PreviewFillsTheLine(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	for _, loc := range m.catalogue.Locales() {
		for _, name := range templates() {
			r, err := m.Render(message(name, loc))
			if err != nil {
				t.Fatal(err)
			}
			found := preview.FindStringSubmatch(r.HTML)
			if len(found) != 2 {
				t.Fatalf("%s %s has no preview", loc, name)
			}
			seen := strings.ReplaceAll(html.UnescapeString(found[1]), "\u034f\u200c", "")
			if n := utf8.RuneCountInString(seen); n < previewLength || strings.TrimRight(seen, "\u00a0") == "" {
				t.Errorf("%s %s: the preview fills %d characters: %q", loc, name, n, seen)
			}
			if strings.Contains(r.Text, "\u034f") {
				t.Errorf("%s %s: the text has invisible characters", loc, name)
			}
		}
	}
}

// Most readers of an alarm made the change: they read that first, and a way to raise the
// alarm has words before it.
func TestRender_CalmBeforeAlarm(t *testing.T) {
	t.Parallel()
	m := newMailer(t, nil)
	alarms := 0
	for _, name := range templates() {
		doc, err := m.document(message(name, "en"))
		if err != nil {
			t.Fatal(err)
		}
		button := slices.IndexFunc(doc.Parts, func(e element) bool { return strings.Contains(e.Link, "/not-me") })
		if button < 0 {
			continue
		}
		alarms++
		note := slices.IndexFunc(doc.Parts, func(e element) bool { return e.Kind == partNote })
		if note < 0 || note > button || doc.Parts[button-1].Kind != partParagraph {
			t.Errorf("%s: the alarm is part %d, the note part %d", name, button, note)
		}
	}
	if alarms < 15 {
		t.Errorf("%d emails raise an alarm", alarms)
	}
	msg := message("signin-blocked", "en")
	delete(msg.Data, "alarm_link")
	if r, err := m.Render(msg); err != nil || strings.Contains(r.Text, "Want to be safe?") {
		t.Errorf("%v: an email without the button describes it\n%s", err, r.Text)
	}
}

// An address alone as the sender shows as the name of the site.
func TestCompose_SenderHasAName(t *testing.T) {
	t.Parallel()
	for from, want := range map[string]string{
		"no-reply@x.test":            `From: "Portico" <no-reply@x.test>`,
		"Accounts <no-reply@x.test>": `From: "Accounts" <no-reply@x.test>`,
	} {
		env, err := newMailer(t, func(c *Config) { c.From = from }).compose(message("recover", "en"))
		if err != nil || !strings.Contains(string(env.content), want) {
			t.Errorf("%v, %s: lacks %s in\n%.300s", err, from, want, env.content)
		}
	}
}
