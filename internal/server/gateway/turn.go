package gateway

import (
	"net/http"
	"slices"
	"strings"
	"time"
)

// turn is what becomes of an app's cookies with one request. A browser keeps them
// for the app, whoever uses it: after a sign-out, or when another account signs
// in, the app would go on as the person before.
type turn struct {
	app  *app
	who  string // keyed hash of the account, or nobody
	host string
	path string // to the letter
	now  int64  // in units of holderRenewed

	before  holder
	marked  bool // before is known
	broken  bool // our cookie says nothing that we have written
	changed bool // the cookies that come are another person's
	came    bool // the app gets a cookie that came

	kept     []string // pairs for the app
	withheld []string // pairs that it does not get
}

// newTurn sorts the cookies of a request.
func newTurn(a *app, r *http.Request, path, who string, now time.Time) turn {
	t := turn{app: a, who: who, host: r.Host, path: path, now: now.Unix() / int64(holderRenewed/time.Second)}
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
	t.changed = t.broken || t.marked && t.before.who != who && t.before.who != nobody
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

// read reads our cookie. Of two nobody can say which one is ours.
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

// settle puts before the cookies that the app sets what the browser has to delete
// and our own cookie.
func (t *turn) settle(h http.Header) {
	if t.app.KeepAllCookies {
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
	h["Cache-Control"] = []string{"no-store"} // a cache would give one person's cookie to another
	if t.changed {
		h["Clear-Site-Data"] = []string{t.app.siteData}
	}
}

// next returns whose the cookies are after this answer, nil when that stays as it
// is, and the cookies to delete.
func (t *turn) next(set []deepCookie) (*holder, []string) {
	switch {
	case !t.marked && (t.who == nobody || !t.came && len(set) == 0):
		return nil, nil // there is nothing to remember yet
	case t.changed && t.who == nobody && len(set) == 0 && !t.broken && t.app.SignOutURL == "":
		return nil, nil // the same person may come back and go on
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

// expired returns the names that were withheld and what deletes their cookies, as
// far as an answer has room beside size bytes. The rest is withheld again and comes with
// the next answer.
func (t *turn) expired(set []deepCookie, size int) (names, lines []string) {
	withheld := make([]string, 0, len(t.withheld))
	for _, pair := range t.withheld {
		withheld = append(withheld, cookieName(pair))
	}
	slices.SortStableFunc(withheld, func(a, b string) int { return weight(set, a) - weight(set, b) }) // what the app sets comes first
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

// cookiesOf returns the cookies that lines of Set-Cookie set; those that they
// delete are not among them.
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

// keeps reports whether a cookie stays when the person changes.
func (a *App) keeps(name string) bool { return slices.Contains(a.KeepCookies, name) }
