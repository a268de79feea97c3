package gateway

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// turn decides about an app's cookies in one request. A browser keeps them when
// its user changes. Without turn, after a sign-out or the sign-in of another
// account, the app would continue as the previous user.
type turn struct {
	app  *app
	who  string // keyed hash of the account id, or the constant for signed-out browsers
	host string
	path string // as sent
	now  int64  // in units of holderRenewed

	before  holder
	marked  bool // the request has the cookie with the holder
	broken  bool // that cookie is malformed or occurs twice
	changed bool // the app's cookies belong to another account
	unknown bool // to which account the browser is signed in: nothing is deleted
	came    bool // the app gets at least one cookie of the request

	kept     []string // pairs that the app gets
	withheld []string // pairs that the app does not get
}

// newTurn decides about the cookies of a request by a user with these names. The first
// one is written.
func newTurn(a *app, r *http.Request, path string, who []string, now time.Time) turn {
	t := turn{app: a, who: who[0], host: r.Host, path: path, now: now.Unix() / int64(holderRenewed/time.Second)}
	var pairs []string
	own := a.holder.Name()
	for _, line := range r.Header["Cookie"] {
		for pair := range strings.SplitSeq(line, ";") {
			pair = strings.Trim(pair, " \t")
			switch name := cookieName(pair); {
			case pair == "":
			case name == own && !a.KeepAllCookies:
				t.read(strings.TrimPrefix(pair, own+"="))
			case !ownCookie(name):
				pairs = append(pairs, pair)
			}
		}
	}
	t.changed = t.broken || t.marked && !slices.Contains(who, t.before.who) && t.before.who != nobody
	for _, pair := range pairs {
		if name := cookieName(pair); t.passes(name) {
			t.kept = append(t.kept, pair)
			t.came = t.came || !a.keeps(name)
		} else {
			t.withheld = append(t.withheld, pair)
		}
	}
	return t
}

// read parses the cookie with the holder. A second one makes it invalid,
// because it is unknown which one Portico set.
func (t *turn) read(value string) {
	before, ok := parseHolder(value)
	t.broken = t.broken || t.marked || !ok
	t.before, t.marked = before, true
}

// passes reports whether the app gets a cookie.
func (t *turn) passes(name string) bool {
	switch {
	case t.app.KeepAllCookies, t.app.keeps(name), !t.marked:
		return true
	case t.changed:
		return false
	}
	return !t.before.mixed || t.before.knows(name)
}

// settle adds the lines that delete cookies, and the cookie with the holder,
// before the cookies that the app sets.
func (t *turn) settle(h http.Header) {
	if t.app.KeepAllCookies || t.unknown {
		return
	}
	set := t.cookiesOf(h["Set-Cookie"])
	next, lines := t.next(set)
	if next == nil {
		return
	}
	next.who, next.written = t.who, t.now
	lines = append(lines, t.app.holder.Line(next.String(), holderLife))
	h["Set-Cookie"] = append(lines, h["Set-Cookie"]...)
	h["Cache-Control"] = []string{"no-store"} // a cache would pass one user's cookie to another
	if t.changed {
		h["Clear-Site-Data"] = []string{t.app.siteData}
	}
}

// next returns the holder after this response, or nil if it stays the same, and
// the lines that delete cookies.
func (t *turn) next(set []deepCookie) (*holder, []string) {
	switch {
	case !t.marked && (t.who == nobody || !t.came && len(set) == 0):
		return nil, nil // there is nothing to remember yet
	case t.changed && t.who == nobody && len(set) == 0 && !t.broken && t.app.SignOutURL == "":
		return nil, nil // the same user may come back and continue
	}
	next, write := t.before, !t.marked || t.before.who != t.who || t.before.written != t.now
	var lines []string
	if t.changed {
		next, write = holder{mixed: true}, true
		for _, c := range t.before.deep {
			lines = append(lines, expire(c))
		}
	}
	names, more := t.expired(set, len(strings.Join(lines, "")))
	for _, name := range names {
		write = next.learn(name) || write
	}
	for _, c := range set {
		write = next.learn(c.Name) || write
		if !covers(c.Path, t.app.Site.Path) {
			write = next.note(c) || write
		}
	}
	if !write {
		return nil, nil
	}
	return &next, append(lines, more...)
}

// expired returns withheld names and the lines that delete their cookies. size
// is the number of bytes already used. The names that do not fit are withheld
// again, and deleted by the next response.
func (t *turn) expired(set []deepCookie, size int) (names, lines []string) {
	withheld := make([]string, 0, len(t.withheld))
	for _, pair := range t.withheld {
		withheld = append(withheld, cookieName(pair))
	}
	slices.SortStableFunc(withheld, func(a, b string) int { return weight(set, a) - weight(set, b) }) // names that the app sets come first
	for _, name := range slices.Compact(withheld) {
		variants := variantsOf(name, t.path, t.host)
		for _, v := range variants {
			size += len(v)
		}
		if size > maxExpiry && len(names) > 0 {
			return names, lines
		}
		names, lines = append(names, name), append(lines, variants...)
	}
	return names, lines
}

func weight(set []deepCookie, name string) int {
	if slices.ContainsFunc(set, func(c deepCookie) bool { return c.Name == name }) {
		return 0
	}
	return 1
}

// cookiesOf returns the cookies that Set-Cookie lines set. It leaves out
// deleted cookies and kept ones.
func (t *turn) cookiesOf(lines []string) []deepCookie {
	var set []deepCookie
	for _, line := range lines {
		c, err := http.ParseSetCookie(line)
		if err != nil || c.MaxAge < 0 || c.Value == "" || t.app.keeps(c.Name) {
			continue
		}
		if !strings.HasPrefix(c.Path, "/") {
			c.Path = defaultPath(t.path)
		}
		set = append(set, deepCookie{c.Name, c.Path, strings.TrimPrefix(c.Domain, ".")})
	}
	return set
}

// keeps reports whether a cookie stays when the account changes.
func (a *App) keeps(name string) bool { return slices.Contains(a.KeepCookies, name) }
