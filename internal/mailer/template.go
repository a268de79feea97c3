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

// lookup returns the layout of a template. Rendering omits a button without
// a link, and facts that are unknown.
func lookup(template string) (layout, bool) {
	heading := part{kind: partHeading, words: "heading"}
	intro := part{kind: partParagraph, words: "intro"}
	facts := part{kind: partFacts}
	note := part{kind: partNote, words: "note"}
	button := func(words, link string) part { return part{kind: partButton, words: words, link: link} }

	switch template {
	case "verify-address", "recover", "signin-code", "confirm-address":
		return layout{
			needs: []string{"code", "link", "minutes"},
			parts: []part{heading, intro, {kind: partCode}, {kind: partParagraph, words: "instead"}, button("action", "link"), facts, note},
		}, true
	case "take-back":
		return layout{
			needs: []string{"code", "link", "minutes"},
			parts: []part{
				heading, intro, {kind: partCode}, {kind: partParagraph, words: "instead"}, button("action", "link"),
				{kind: partParagraph, words: "undone"}, facts, note,
			},
		}, true
	case "already-registered":
		return layout{
			needs: []string{"signin_link", "reset_link"},
			parts: []part{heading, intro, button("action", "signin_link"), {kind: partParagraph, words: "instead"}, button("reset", "reset_link"), facts, note},
		}, true
	case "address-taken":
		return layout{
			needs: []string{"signin_link"},
			parts: []part{heading, intro, button("action", "signin_link"), facts, note},
		}, true
	case "address-of-account":
		return layout{
			needs: []string{"address", "signin_link"},
			parts: []part{heading, intro, button("action", "signin_link"), facts, note},
		}, true
	case "recovery-address-set", "address-removed":
		return layout{needs: []string{"address"}, parts: alarm(heading, intro, facts, note)}, true
	case "no-account":
		return layout{
			parts: []part{heading, intro, {kind: partParagraph, words: "instead"}, button("action", "signin_link"), facts, note},
		}, true
	case "key-ends":
		return layout{needs: []string{"key", "ends_at"}, parts: []part{heading, intro, note}}, true
	case "approvals-asked":
		return layout{needs: []string{"count", "people_link"}, parts: []part{heading, intro, button("action", "people_link"), note}}, true
	case "invitation":
		return layout{
			needs: []string{"link", "until"},
			parts: []part{
				heading, intro, {kind: partParagraph, words: "says", link: "words"}, button("action", "link"),
				{kind: partParagraph, words: "until"}, note,
			},
		}, true
	case "account-approved":
		return layout{
			needs: []string{"signin_link", "reset_link"},
			parts: []part{heading, intro, button("action", "signin_link"), {kind: partParagraph, words: "instead"}, button("reset", "reset_link"), note},
		}, true
	case "invitation-needed", "approval-awaited", "account-refused", "account-closed", "address-outside", "picture-removed", "alarm-raised":
		return layout{parts: []part{heading, intro, facts, note}}, true
	case "account-managed":
		return layout{needs: []string{"event"}, parts: []part{heading, intro, facts, note}}, true
	case "account-changed":
		return layout{needs: []string{"event"}, parts: alarm(heading, intro, facts, note)}, true
	case "provider-only":
		return layout{
			needs: []string{"provider", "signin_link"},
			parts: []part{heading, intro, button("action", "signin_link"), facts, note},
		}, true
	case "signin-blocked":
		return layout{
			needs: []string{"minutes", "reset_link"},
			parts: []part{
				heading, intro, facts, {kind: partParagraph, words: "instead"}, button("action", "reset_link"), note,
				{kind: partParagraph, words: "safe", link: "alarm_link"}, button("common.alarm_action", "alarm_link"),
			},
		}, true
	case "account-left":
		return layout{
			needs: []string{"erase_at", "signin_link"},
			parts: alarm(heading, intro, part{kind: partParagraph, words: "instead"}, button("action", "signin_link"), facts, note),
		}, true
	case "address-changed", "address-given":
		return layout{
			needs: []string{"signin_link"},
			parts: []part{heading, intro, button("action", "signin_link"), facts, note, {kind: partParagraph, words: "instead"}},
		}, true
	case "password-changed", "password-removed", "address-replaced", "address-added", "new-device", "factor-added", "factor-removed", "recovery-codes-made",
		"passkey-added", "passkey-renamed", "passkey-removed", "data-downloaded", "browser-trusted", "account-kept", "name-changed", "picture-changed", "factor-failed", "link-made":
		return layout{parts: alarm(heading, intro, facts, note)}, true
	case "recovery-code-used":
		return layout{needs: []string{"left"}, parts: alarm(heading, intro, facts, note)}, true
	case "provider-linked", "provider-disconnected":
		return layout{needs: []string{"provider"}, parts: alarm(heading, intro, facts, note)}, true
	case "grant-reused":
		return layout{needs: []string{"app"}, parts: alarm(heading, intro, facts, note)}, true
	case "passkey-suspect":
		return layout{parts: alarm(heading, intro, facts, note, part{kind: partParagraph, words: "instead"})}, true
	case "link-mailed":
		return layout{needs: []string{"link", "minutes"}, parts: []part{heading, intro, button("action", "link"), facts, note}}, true
	case "welcome":
		return layout{needs: []string{"link", "minutes"}, parts: []part{heading, intro, button("action", "link"), {kind: partParagraph, words: "instead"}, note}}, true
	case "provider-removed":
		return layout{
			needs: []string{"provider", "reset_link"},
			parts: alarm(heading, intro, facts, part{kind: partParagraph, words: "instead"}, button("action", "reset_link"), note),
		}, true
	}
	return layout{}, false
}

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
