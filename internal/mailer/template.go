package mailer

import "strings"

// Kinds of parts of an email. Each has its own format in mail.html and in plain
// text.
const (
	partHeading   = "heading"
	partParagraph = "paragraph"
	partCode      = "code"
	partButton    = "button"
	partFacts     = "facts" // the browser and the time of the request
	partNote      = "note"  // what a reader who expected the email has to do, or one who did not
)

// part is one element of an email. Its words are under mail.<template>.<words>.
type part struct {
	kind    string
	words   string // beginning with "common." for words that templates share
	link    string // for a button, or a paragraph about it: the key of its link, or of another value, in the data
	without string // for such a paragraph: the words if the data has no such value; "" leaves it out
}

// layout defines the parts of a template, for HTML and for plain text.
type layout struct {
	needs []string // required keys of the data
	parts []part
}

// Parts that templates share. Rendering omits a button without a link, and facts that are unknown.
var (
	heading = part{kind: partHeading, words: "heading"}
	intro   = part{kind: partParagraph, words: "intro"}
	code    = part{kind: partCode}
	instead = part{kind: partParagraph, words: "instead"}
	facts   = part{kind: partFacts}
	note    = part{kind: partNote, words: "note"}
)

// Layouts that templates share.
var (
	codeMail = layout{
		needs: []string{"code", "link", "minutes"},
		parts: []part{heading, intro, code, instead, button("action", "link"), facts, note},
	}
	plainMail = layout{parts: []part{heading, intro, facts, note}}
	alarmMail = layout{parts: alarm(heading, intro, facts, note)}

	addressMail = layout{
		needs: []string{"signin_link"},
		parts: []part{heading, intro, button("action", "signin_link"), facts, note, instead},
	}
)

// layouts are the templates.
var layouts = map[string]layout{
	// Codes and links of the screens.
	"verify-address":  codeMail,
	"confirm-address": codeMail,
	"signin-code":     codeMail,
	"recover":         codeMail,
	"take-back": {
		needs: codeMail.needs,
		parts: []part{heading, intro, code, instead, button("action", "link"), {kind: partParagraph, words: "undone"}, facts, note},
	},
	"link-mailed": {needs: []string{"link", "minutes"}, parts: []part{heading, intro, button("action", "link"), facts, note}},
	"welcome":     {needs: []string{"link", "minutes"}, parts: []part{heading, intro, button("action", "link"), instead, note}},
	"invitation": {
		needs: []string{"link", "until"},
		parts: []part{
			heading, intro, {kind: partParagraph, words: "says", link: "words"}, button("action", "link"),
			{kind: partParagraph, words: "until"}, note,
		},
	},

	// Answers that only the owner of an address gets.
	"already-registered": {
		needs: []string{"signin_link", "reset_link"},
		parts: []part{heading, intro, button("action", "signin_link"), instead, button("reset", "reset_link"), facts, note},
	},
	"account-approved": {
		needs: []string{"signin_link", "reset_link"},
		parts: []part{heading, intro, button("action", "signin_link"), instead, button("reset", "reset_link"), note},
	},
	"no-account":         {parts: []part{heading, intro, instead, button("action", "signin_link"), facts, note}},
	"address-taken":      {needs: []string{"signin_link"}, parts: []part{heading, intro, button("action", "signin_link"), facts, note}},
	"address-of-account": {needs: []string{"address", "signin_link"}, parts: []part{heading, intro, button("action", "signin_link"), facts, note}},
	"provider-only":      {needs: []string{"provider", "signin_link"}, parts: []part{heading, intro, button("action", "signin_link"), facts, note}},
	"address-outside":    plainMail,
	"approval-awaited":   plainMail,
	"invitation-needed":  plainMail,
	"account-refused":    plainMail,
	"account-closed":     plainMail,
	"signin-blocked": {
		needs: []string{"minutes", "reset_link"},
		parts: []part{
			heading, intro, facts, instead, button("action", "reset_link"), note,
			{kind: partParagraph, words: "safe", link: "alarm_link"}, button("common.alarm_action", "alarm_link"),
		},
	},

	// Alarms: changes that the owner made, or can undo.
	"account-kept":        alarmMail,
	"address-added":       alarmMail,
	"address-replaced":    alarmMail,
	"browser-trusted":     alarmMail,
	"data-downloaded":     alarmMail,
	"factor-added":        alarmMail,
	"factor-failed":       alarmMail,
	"factor-removed":      alarmMail,
	"link-made":           alarmMail,
	"name-changed":        alarmMail,
	"new-device":          alarmMail,
	"passkey-added":       alarmMail,
	"passkey-removed":     alarmMail,
	"passkey-renamed":     alarmMail,
	"password-changed":    alarmMail,
	"password-removed":    alarmMail,
	"picture-changed":     alarmMail,
	"recovery-codes-made": alarmMail,

	"account-changed":       {needs: []string{"event"}, parts: alarmMail.parts},
	"address-removed":       {needs: []string{"address"}, parts: alarmMail.parts},
	"recovery-address-set":  {needs: []string{"address"}, parts: alarmMail.parts},
	"grant-reused":          {needs: []string{"app"}, parts: alarmMail.parts},
	"provider-linked":       {needs: []string{"provider"}, parts: alarmMail.parts},
	"provider-disconnected": {needs: []string{"provider"}, parts: alarmMail.parts},
	"recovery-code-used":    {needs: []string{"left"}, parts: alarmMail.parts},
	"passkey-suspect":       {parts: alarm(heading, intro, facts, note, instead)},
	"provider-removed": {
		needs: []string{"provider", "reset_link"},
		parts: alarm(heading, intro, facts, instead, button("action", "reset_link"), note),
	},
	"account-left": {
		needs: []string{"erase_at", "signin_link"},
		parts: alarm(heading, intro, instead, button("action", "signin_link"), facts, note),
	},
	"password-unproven": {needs: []string{"reset_link"}, parts: []part{heading, intro, button("action", "reset_link"), facts}},

	// Changes by an operator, and emails to operators.
	"account-managed": {needs: []string{"event"}, parts: plainMail.parts},
	"address-changed": addressMail,
	"address-given":   addressMail,
	"picture-removed": plainMail,
	"alarm-raised":    plainMail,
	"approvals-asked": {needs: []string{"count", "people_link"}, parts: []part{heading, intro, button("action", "people_link"), note}},
	"key-ends":        {needs: []string{"key", "ends_at"}, parts: []part{heading, intro, note}},
}

func button(words, link string) part { return part{kind: partButton, words: words, link: link} }

// alarm ends the email about a change: its owner can raise the alarm, here or from an
// older address. The note comes before: most readers made the change, and it calms them.
func alarm(before ...part) []part {
	return append(before,
		part{kind: partParagraph, words: "common.alarm", link: "alarm_link", without: "common.alarm_elsewhere"},
		part{kind: partButton, words: "common.alarm_action", link: "alarm_link"})
}

// key returns the key of the words of a part.
func (p part) key(template string) string {
	if strings.HasPrefix(p.words, "common.") {
		return p.words
	}
	return template + "." + p.words
}
