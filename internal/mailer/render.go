package mailer

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"portico/internal/brand"
	"portico/internal/locale"
)

//go:embed mail.html
var mailHTML string

// Message is one email to write and send.
type Message struct {
	ID       string // becomes the Message-ID
	Template string
	To       string
	Locale   string

	// Data has the values of the template:
	//   - code, link, signin_link, reset_link, alarm_link, people_link, provider
	//   - minutes: validity of the code, or duration of the block
	//   - browser, system: names from package useragent
	//   - at, erase_at, ends_at, until: a time (RFC 3339)
	//   - words: of the admin who sends an invitation
	//   - event: a name of package audit, shown in the words of the security history
	//   - app: name of an OpenID client
	//   - key: name of an API key
	//   - count: of accounts that wait for an approval
	//   - brand: replaces the configured brand
	//
	// Unknown and empty values are ignored.
	Data map[string]string
}

// Rendered is a written email.
type Rendered struct {
	Subject string
	Text    string
	HTML    string
}

// document is an email with final words, before it becomes HTML or text.
type document struct {
	Locale, Subject, Preview, Brand, Site, SiteName, Copy, Footer string

	RightToLeft bool
	Look        brand.Mail
	Parts       []element
	Legal       []row // names and addresses of the legal pages
}

type element struct {
	Kind  string
	Text  string // of a heading, paragraph, note, button or code
	Link  string // of a button
	Main  bool   // the first button of an email
	Rows  []row  // of facts
	Below int    // pixels to the next element
}

type row struct{ Name, Value string }

// Render writes an email. It returns an error if the template is unknown, or if
// a required value is missing or malformed.
func (m *Mailer) Render(msg Message) (Rendered, error) {
	doc, err := m.document(msg)
	if err != nil {
		return Rendered{}, fmt.Errorf("mail %q: %w", clean(msg.Template, valueLimit), err)
	}
	var html strings.Builder
	if err := m.html.Execute(&html, doc); err != nil {
		return Rendered{}, fmt.Errorf("mail %q: %w", msg.Template, err)
	}
	return Rendered{Subject: doc.Subject, Text: doc.plain(), HTML: html.String()}, nil
}

// document returns the words of an email.
func (m *Mailer) document(msg Message) (document, error) {
	l, ok := layouts[msg.Template]
	if !ok {
		return document{}, errors.New("there is no such template")
	}
	if !slices.Contains(m.catalogue.Locales(), msg.Locale) {
		msg.Locale = m.catalogue.Locales()[0]
	}
	for _, name := range l.needs {
		if msg.Data[name] == "" {
			return document{}, fmt.Errorf("the value %s is missing", name)
		}
	}
	params, err := m.params(msg)
	if err != nil {
		return document{}, err
	}
	words := func(key string) string {
		return m.catalogue.Text(msg.Locale, "mail."+key, params)
	}
	doc := document{
		Locale: msg.Locale, RightToLeft: locale.RightToLeft(msg.Locale),
		Subject: words(msg.Template + ".subject"),
		Preview: words(msg.Template + ".intro"),
		Brand:   params["brand"],
		Look:    m.look,
		Site:    m.public.String(), SiteName: m.public.Host,
		Copy:   words("common.copy"),
		Footer: words("common.footer"),
	}
	if m.replyTo != nil {
		doc.Footer = words("common.footer_replies")
	}
	for _, page := range m.legal {
		doc.Legal = append(doc.Legal, row{m.catalogue.Text(msg.Locale, page.key, nil), page.link})
	}
	main := true
	for _, p := range l.parts {
		e := element{Kind: p.kind}
		switch p.kind {
		case partCode:
			e.Text = params["code"]
		case partFacts:
			if e.Rows = m.facts(msg.Locale, params, words); len(e.Rows) == 0 {
				continue
			}
		case partButton:
			if e.Link = msg.Data[p.link]; e.Link == "" {
				continue
			}
			e.Main, main = main, false
			fallthrough
		default:
			if p.link != "" && msg.Data[p.link] == "" {
				if p.words = p.without; p.words == "" {
					continue
				}
			}
			e.Text = words(p.key(msg.Template))
		}
		doc.Parts = append(doc.Parts, e)
	}
	space(doc.Parts)
	return doc, nil
}

// space sets the space below each element but the last one. The template puts it into
// a table cell: Word, which draws emails in Outlook, ignores the margin of a table.
func space(parts []element) {
	for i := range len(parts) - 1 {
		switch parts[i].Kind {
		case partHeading:
			parts[i].Below = 12
		case partCode, partButton:
			parts[i].Below = 22
		default:
			parts[i].Below = 18
		}
	}
}

// params checks and cleans the values of a message. It formats times and
// durations in the message's locale.
func (m *Mailer) params(msg Message) (map[string]string, error) {
	params := map[string]string{"brand": m.brand}
	for name, value := range msg.Data {
		switch {
		case value == "":
		case name == "code":
			if !codeForm.MatchString(value) {
				return nil, errors.New("the code is not four to ten digits")
			}
			params[name] = value
		case name == "link", strings.HasSuffix(name, "_link"):
			if err := ownLink(value, m.public); err != nil {
				return nil, err
			}
		case name == "minutes":
			n, err := strconv.Atoi(value)
			if err != nil || n < 1 {
				return nil, errors.New("minutes must be a number above zero")
			}
			params["wait"] = m.catalogue.Wait(msg.Locale, time.Duration(n)*time.Minute)
		case name == "event":
			params[name] = m.catalogue.TextOr(msg.Locale, "history."+value, "history.other", nil)
		case name == "words":
			params[name] = unlink(clean(value, wordsLimit))
		case name == "at", name == "until", strings.HasSuffix(name, "_at"):
			at, err := time.Parse(time.RFC3339, value)
			if err != nil {
				return nil, fmt.Errorf("%s is not a time in RFC 3339", name)
			}
			params[name] = m.catalogue.Moment(msg.Locale, at)
		default:
			params[name] = unlink(clean(value, valueLimit))
		}
	}
	return params, nil
}

func (m *Mailer) facts(loc string, params map[string]string, words func(string) string) []row {
	var rows []row
	device := params["browser"]
	if device != "" && params["system"] != "" {
		device = m.catalogue.Text(loc, "mail.common.device", params)
	}
	if app := params["app"]; app != "" {
		rows = append(rows, row{words("common.app"), app})
	}
	if device != "" {
		rows = append(rows, row{words("common.browser"), device})
	}
	if at := params["at"]; at != "" {
		rows = append(rows, row{words("common.at"), at})
	}
	return rows
}

// plain returns the email as text. It does not wrap paragraphs, because the
// mail reader does.
func (d document) plain() string {
	var b strings.Builder
	paragraph := func(text string) { b.WriteString(text + "\n\n") }
	paragraph(d.Brand)
	for _, e := range d.Parts {
		switch e.Kind {
		case partCode:
			paragraph("    " + e.Text)
		case partButton:
			paragraph(e.Text + ":\n" + e.Link)
		case partFacts:
			lines := make([]string, 0, len(e.Rows))
			for _, r := range e.Rows {
				lines = append(lines, r.Name+": "+r.Value)
			}
			paragraph(strings.Join(lines, "\n"))
		default:
			paragraph(e.Text)
		}
	}
	b.WriteString("-- \n" + d.Footer + "\n" + d.Site + "\n")
	for _, page := range d.Legal {
		b.WriteString(page.Name + ": " + page.Value + "\n")
	}
	return b.String()
}

// parseHTML parses the HTML template of all emails.
func parseHTML() (*template.Template, error) {
	return template.New("mail.html").Funcs(template.FuncMap{"outlook": outlook, "cid": contentID, "pad": pad}).Parse(mailHTML)
}

// outlook wraps a constant of mail.html in a comment that only Outlook for
// Windows reads. Outlook ignores max-width and needs a table of fixed width.
func outlook(constant string) template.HTML {
	return template.HTML("<!--[if mso]>" + constant + "<![endif]-->")
}

// previewLength is how many characters of an email a list of emails shows at most.
const previewLength = 140

// pad fills the preview with invisible characters. Without them, a list of emails
// would continue it with the logo and the heading.
func pad(preview string) template.HTML {
	return template.HTML(strings.Repeat("&#847;&zwnj;&nbsp;", max(0, previewLength-utf8.RuneCountInString(preview))))
}

// contentID returns the address of a picture that the email carries (RFC 2392).
// html/template knows only schemes of the web.
func contentID(constant string) template.URL { return template.URL("cid:" + constant + "@portico") }
