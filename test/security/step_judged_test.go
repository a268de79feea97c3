package security

import (
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/server"
)

// The words of the table: what a step does that was begun before a change and ends after it.
const (
	ends   = "ends"      // nothing happens, and the step is given up
	asks   = "asks"      // it goes on with a page that asks for what is missing now
	goesOn = "continues" // as without the change
	never  = "–"         // both cannot be
)

// tableOf reads the table of a document: rows, columns and their words.
func tableOf(t *testing.T, path string) (columns []string, rows map[string]map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows = map[string]map[string]string{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| ---"):
		case cells[0] == "change":
			columns = cells[1:]
		case columns != nil:
			rows[cells[0]] = map[string]string{}
			for i, word := range cells[1:] {
				rows[cells[0]][columns[i]] = word
			}
		}
	}
	return columns, rows
}

// cell makes an account with two browsers, in which the step has begun.
func (s *site) cell(acme *idp, at step, c accountChange) *cell {
	s.Helper()
	made := &cell{site: s, acme: acme, address: fresh("owner"), owner: s.visitor(), other: s.visitor(), password: good}
	made.id = s.operator(made.address, good).ID
	version := s.config.Legal.TermsVersion
	if a := made.owner.signIn(made.address, good).must(200); strings.Contains(a.next(), "/auth/terms?") {
		made.owner.post("terms", object{"flow": a.flow(), "terms": version}).must(200)
	}
	made.prepare(c.needs + " " + at.needs)
	at.begin(made)
	if c.ready != nil {
		c.ready(made)
	}
	return made
}

// outcome returns the word for an answer to the press that ends a step.
func (at step) outcome(a *answer, before, after condition) string {
	next := a.header.Get("Location")
	if a.status == 200 {
		next = a.next()
	}
	switch {
	case at.effect(before, after):
		return goesOn
	case a.status >= 400:
		return ends
	case strings.HasPrefix(next, "/auth/reset-password?"):
		return goesOn
	case regexp.MustCompile(`^/auth/(mfa|terms|protect|keep)\?flow=`).MatchString(next):
		return asks
	}
	return ends
}

// runs begins the step, and lets the change and the end of the step come in an order. It returns
// the word for the end, and what has changed.
func (s *site) runs(acme *idp, at step, c accountChange, order string) (word, changed string) {
	s.Helper()
	here := s.cell(acme, at, c)
	begun := here.condition()
	before := begun
	var end, press *answer
	switch order {
	case "change first":
		press = c.press(here)
		before = here.condition()
		end = at.end(here)
	case "end first":
		end = at.end(here)
		end.keep()
		word = at.outcome(end, begun, here.condition())
		press = c.press(here)
	default:
		var both sync.WaitGroup
		both.Go(func() { end = at.end(here) })
		both.Go(func() { press = c.press(here) })
		both.Wait()
	}
	end.keep()
	press.keep()
	after := here.condition()
	if order != "end first" {
		word = at.outcome(end, before, after)
	}
	if order == "change first" && press.status >= 400 {
		s.Errorf("the change is refused: %d %.300s", press.status, press.body)
	}
	for _, a := range []*answer{end, press} {
		if a.status >= 500 {
			s.Errorf("%s: %d %.300s", order, a.status, a.body)
		}
	}
	return word, after.since(begun)
}

// same compares the names in the table with those in the tests.
func same(t *testing.T, what, where string, table, tests []string) {
	t.Helper()
	for _, name := range table {
		if !slices.Contains(tests, name) {
			t.Errorf("%q is in the %s of docs/pending-steps.md, and not in %s: add it there", name, what, where)
		}
	}
	for _, name := range tests {
		if !slices.Contains(table, name) {
			t.Errorf("%q is in %s, and not in the %s of docs/pending-steps.md: add it there", name, where, what)
		}
	}
}

// possible reports whether a change can come between the beginning and the end of a step.
func (at step) possible(c accountChange) bool {
	first := strings.Contains(at.needs, "bare") && (strings.Contains(c.needs, "app") || strings.Contains(c.needs, "pass"))
	switch {
	case at.only == "operator" && c.by == "owner", at.only == "reload" && c.by != "reload":
		return false
	case strings.Contains(at.needs, "password") && strings.Contains(c.needs, "no-pass"), first:
		return false
	case strings.Contains(at.needs+c.needs, "stranger") && strings.Contains(at.needs+c.needs, "identity"):
		return false
	}
	return true
}

// reloads is runs for a change of the settings. It takes the settings back.
func (s *site) reloads(acme *idp, at step, c accountChange) (word string) {
	s.Helper()
	here := s.cell(acme, at, c)
	former := s.config
	s.config.Providers = slices.Clone(former.Providers)
	s.follows(c.reload)
	before := here.condition()
	end := at.end(here).keep()
	word = at.outcome(end, before, here.condition())
	s.config = former
	s.follows()
	return word
}

// judge compares a cell of the table with what happens, in each order.
func (s *site) judge(acme *idp, at step, c accountChange, want string) {
	s.Helper()
	if c.reload != nil {
		if word := s.reloads(acme, at, c); word != want {
			s.Errorf("a step that began before the change %q, and docs/pending-steps.md says %q", word, want)
		}
		return
	}
	word, last := s.runs(acme, at, c, "change first")
	if word != want {
		s.Errorf("a step that began before the change %q, and docs/pending-steps.md says %q", word, want)
	}
	if !full() && rand.IntN(4) > 0 {
		return // some of the others in each run
	}
	word, first := s.runs(acme, at, c, "end first")
	if word != goesOn && word != asks {
		s.Errorf("before the change, the step %s", word)
	}
	if word, now := s.runs(acme, at, c, "at once"); word != ends && now != first && now != last {
		s.Errorf("at once: %s, which is neither %s nor %s", now, first, last)
	}
}

func TestSEC336_AStepIsJudgedWhereItEnds(t *testing.T) {
	announce(t)
	t.Parallel()
	columns, rows := tableOf(t, "../../docs/pending-steps.md")
	same(t, "columns", "steps in step_cell_test.go", columns, slices.Collect(maps.Keys(steps())))
	same(t, "rows", "accountChanges in step_changes_test.go", slices.Collect(maps.Keys(rows)), slices.Collect(maps.Keys(accountChanges())))
	for name, at := range steps() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, acme := startWithIDP(t, true, append(at.options, byCode, requiring(0, "role:strict"))...)
			for _, what := range slices.Sorted(maps.Keys(accountChanges())) {
				t.Run(what, func(t *testing.T) {
					outer := s.T
					s.T = t
					defer func() { s.T = outer }()
					c, want := accountChanges()[what], rows[what][name]
					switch possible := at.possible(c); {
					case possible && want != never:
						s.judge(acme, at, c, want)
					case possible || want != never:
						t.Errorf("the page says %q, although possible is %v", want, possible)
					}
				})
			}
		})
	}
}

// Each kind and step of flow.follows is in a column.
func TestSEC336_EveryStepIsInTheTable(t *testing.T) {
	announce(t)
	source, err := os.ReadFile("../../internal/flow/step.go")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, at := range steps() {
		named = append(named, strings.Fields(at.kinds)...)
	}
	found := regexp.MustCompile(`case k == (\w+) && s == (\w+):`).FindAllStringSubmatch(string(source), -1)
	if len(found) < 10 {
		t.Fatalf("%d steps in step.go", len(found))
	}
	for _, m := range found {
		if !slices.Contains(named, m[1]+"/"+m[2]) {
			t.Errorf("%s/%s has no column in docs/pending-steps.md: add it there, and to steps in step_cell_test.go", m[1], m[2])
		}
	}
}

// After the right code of a step that a change has ended, its page mails no more codes.
func TestSEC336_NoCodeForAnEndedStep(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	address := fresh("v")
	a := s.operator(address, good)
	v := s.visitor()
	flow := v.forgot(address)
	code := s.mail.code(address)
	s.setPassword(a)
	v.verify(flow, code).refused(404, "flow.unknown")
	s.clock.Advance(time.Minute)
	v.post("resend", object{"flow": flow}).refused(409, "flow.conflict")
	byMail := v.sendCode(address)
	s.clock.Advance(time.Minute)
	s.follows(func(c *config.Config) { c.SignIn.Code = false })
	v.post("resend", object{"flow": byMail}).refused(404, "signin.code_off")
}

// Without script, a code, a link or the terms of a sign-up that a change has ended lead to the page that says so, not to a
// field for another code.
func TestSEC336_AnEndedSignUpAsksForNoCode(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	open := s.config
	settings := func(change option) func(string) { return func(string) { s.follows(change) } }
	changes := map[string]func(address string){
		"signup.closed":    settings(func(c *config.Config) { c.SignUp.Mode = "closed" }),
		"signup.uninvited": settings(func(c *config.Config) { c.SignUp.Mode = "invited" }),
		"signup.domain":    settings(func(c *config.Config) { c.SignUp.Domains = []string{"elsewhere.test"} }),
		"signup.taken":     func(address string) { s.operator(address, good) },
	}
	for _, bar := range flow.Bars() {
		code, change, status := bar.Code, changes[bar.Code], server.Status(bar)
		switch {
		case code == flow.CodeInvitationOver: // by no setting
			continue
		case change == nil:
			t.Fatalf("%s: add the change that causes it, and below an address that it refuses", code)
		}
		v, address := s.visitor(), fresh("v")
		id := v.signUp(address, good)
		mail := s.mail.next(address)
		change(address)
		page := v.form("/auth/verify-code?flow="+id, url.Values{"flow": {id}, "code": {mail.code(t)}}).must(status).boot()
		v.open(mail.token(t))
		link := v.form("/auth/confirm-link", nil).must(status).boot()
		if page.Errors.Code != code || page.Flow.ID != "" || link.Errors.Code != code || link.Link.State != "" {
			t.Errorf("%s: the code leads to %+v, and the link to %+v", code, page, link)
		}
		s.config = open
		s.follows()
		w, other := s.visitor(), fresh("w")
		id = w.signUp(other, good)
		s.follows(withTerms("1"))
		id = w.verify(id, s.mail.next(other).code(t)).must(200).flow()
		change(other)
		if terms := w.form("/auth/terms?flow="+id, url.Values{"flow": {id}, "terms": {"1"}}).must(status).boot(); terms.Errors.Code != code || terms.Flow.ID != "" {
			t.Errorf("%s: the terms lead to %+v", code, terms)
		}
		s.config = open
		s.follows()
	}
}
