package rule

import (
	"slices"
	"strings"
)

// Methods is a set of request methods.
type Methods uint32

// anyMethod is the set of a rule without methods.
const anyMethod Methods = 1<<32 - 1

// methodNames are the methods that may reach an app: the methods of HTTP except
// CONNECT and TRACE, and of WebDAV (RFC 4918, RFC 3253, RFC 5323).
var methodNames = []string{
	"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", preflight,
	"PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH",
}

// preflight is the OPTIONS request by which a browser asks for permission to
// send a cross-origin request (Fetch, CORS-preflight request). It has no
// cookies and no body. Therefore a rule can let preflights pass without a
// session, and no other OPTIONS requests.
const preflight = "PREFLIGHT"

// Method returns the set of one method, or the empty set for a method that no
// app gets. HEAD counts as GET. asks says whether the request is a CORS
// preflight.
func Method(name string, asks bool) Methods {
	switch {
	case name == "HEAD":
		name = "GET"
	case name == "OPTIONS" && asks:
		name = preflight
	case name == preflight:
		return 0
	}
	return bit(name)
}

func bit(name string) Methods {
	if i := slices.Index(methodNames, name); i >= 0 {
		return 1 << i
	}
	return 0
}

// parseMethods parses "GET|POST".
func parseMethods(text string) (Methods, *Problem) {
	var set Methods
	for name := range strings.SplitSeq(text, "|") {
		b := bit(name)
		switch {
		case name == "HEAD":
			return 0, &Problem{Why: "a rule for GET also covers HEAD", Write: "write GET"}
		case b == 0:
			return 0, &Problem{Why: name + " is not a method that Portico forwards to apps", Write: "write one or more of " + strings.Join(methodNames, "|")}
		case set&b != 0:
			return 0, &Problem{Why: "it names " + name + " twice", Write: "name each method once"}
		}
		set |= b
		if name == "OPTIONS" {
			set |= bit(preflight)
		}
	}
	return set, nil
}
