// Package useragent names the browser and the system behind a User-Agent header,
// in words that a person knows from their own device ("Firefox", "Linux").
//
// It does not identify anybody and decides nothing: a User-Agent can say
// anything. Names come from the lists below and never from the header, so they
// are safe in mails and pages.
package useragent

import "strings"

// limit is how much of a User-Agent is read, in bytes. Real ones have 80 to 250.
const limit = 512

type rule struct{ token, name string }

// names and systems are tried in order. A browser adds the tokens of similar
// browsers, so special ones come first: Edge also says Chrome and Safari, Chrome
// says Safari, Android says Linux.
var (
	names = [...]rule{
		{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"EdgiOS/", "Edge"},
		{"OPR/", "Opera"}, {"OPT/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Vivaldi/", "Vivaldi"},
		{"YaBrowser/", "Yandex Browser"},
		{"DuckDuckGo/", "DuckDuckGo"}, {"Ddg/", "DuckDuckGo"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"},
		{"Chrome/", "Chrome"}, {"CriOS/", "Chrome"},
		{"Safari/", "Safari"},
	}
	systems = [...]rule{
		{"iPhone", "iPhone"}, {"iPad", "iPad"},
		{"Android", "Android"},
		{"Windows", "Windows"},
		{"CrOS", "ChromeOS"},
		{"Macintosh", "macOS"},
		{"Linux", "Linux"}, {"X11", "Linux"},
	}
)

// Parse returns the names of the browser and of the system. Either is empty
// when it is not known.
func Parse(userAgent string) (name, system string) {
	userAgent = userAgent[:min(limit, len(userAgent))]
	return find(names[:], userAgent), find(systems[:], userAgent)
}

// Handheld reports whether the system is that of a phone or a tablet.
func Handheld(userAgent string) bool {
	_, system := Parse(userAgent)
	return system == "iPhone" || system == "iPad" || system == "Android"
}

// Describe returns both in words for lists and mails: "Firefox, Linux".
func Describe(userAgent string) string {
	name, system := Parse(userAgent)
	switch {
	case name != "" && system != "":
		return name + ", " + system
	case name != "":
		return name
	}
	return system
}

func find(rules []rule, userAgent string) string {
	for _, r := range rules {
		if strings.Contains(userAgent, r.token) {
			return r.name
		}
	}
	return ""
}
