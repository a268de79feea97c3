package security

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"portico/internal/flow"
)

// boot is the part of a document's data that the tests read.
type boot struct {
	Title    string `json:"title"`
	Next     string `json:"next"`
	ReturnTo string `json:"return_to"`
	Notice   string `json:"notice"`
	Detail   string `json:"detail"`
	Back     string `json:"back"`
	Link     struct{ State, Mark, Kind, Address string }
	Flow     struct{ ID, State string }
	Values   struct{ Email string }
	Errors   struct{ Code string }
}

func (a *answer) boot() (b boot) {
	a.Helper()
	_, text, _ := strings.Cut(a.body, `<script type="application/json">`)
	text, _, _ = strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		a.Fatalf("%d %s: %v", a.status, a.body, err)
	}
	return b
}

// A user may open the link of a registration in another browser without knowing
// its password. Nothing of the registration may survive then, because a
// stranger may have sent the form.
func TestSEC212_LinkElsewhereDropsWhatAStrangerChose(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim := fresh("victim")
	attacker := s.visitor()
	flow := attacker.signUp(victim, other)
	email := s.mail.next(victim)
	owner := s.visitor()
	if b := owner.open(email.token(t)).must(200).boot(); b.Link.State != "password" || b.Flow.ID != "" || b.Link.Address == victim {
		t.Fatalf("the page of the link is %+v", b)
	}
	for range 6 { // also when no guesses of the password are left
		owner.post("confirm-link", object{"password": good})
	}
	next := owner.form("/auth/confirm-link/anew", url.Values{}).must(303).header.Get("Location")
	_, reset, found := strings.Cut(next, "/auth/reset-password?flow=")
	if !found || owner.whoami() != "" {
		t.Fatalf("the owner is sent to %s", next)
	}
	attacker.signIn(victim, other).refused(401, "signin.rejected")
	if a := attacker.verify(flow, email.code(t)); a.status == 200 {
		t.Error("the code works after the link")
	}
	attacker.reset(reset, other).refused(404, "flow.unknown")
	owner.reset(reset, good).must(200)
	if owner.whoami() != victim || attacker.whoami() != "" {
		t.Errorf("the owner is signed in as %q, the attacker as %q", owner.whoami(), attacker.whoami())
	}
	s.visitor().signIn(victim, other).refused(401, "signin.rejected")
	s.visitor().signIn(victim, good).must(200)
}

// A confirmation page must not submit a link that was opened in the same
// browser after it.
func TestSEC213_ConfirmPageIsBoundToItsLink(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t)
	victim, attacker := s.two()
	own, foreign := s.visitor(), s.visitor()
	own.forgot(victim)
	foreign.forgot(attacker)
	mine, theirs := s.mail.next(victim).token(t), s.mail.next(attacker).token(t)

	page := own.open(mine).boot()
	own.open(theirs)
	fields := url.Values{"link": {page.Link.Mark}}
	a := own.form("/auth/confirm-link", fields).must(409)
	if b := a.boot(); b.Errors.Code != "link.changed" || b.Link.Mark == page.Link.Mark || b.Link.State != "ready" {
		t.Errorf("the press of the first page shows %+v", b)
	}
	own.post("confirm-link", object{"link": page.Link.Mark}).refused(409, "link.changed")
	for _, below := range []string{"anew", "resend"} {
		own.form("/auth/confirm-link/"+below, fields).must(409)
	}
	if b := own.get("/auth/confirm-link?changed").boot(); b.Notice == "" {
		t.Error("the page does not say that it shows another link")
	}
	own.open(mine)
	own.post("confirm-link", object{"link": page.Link.Mark}).must(200)
}

// The link of an email tells whoever finds it a part of the address. So does the page of the next email.
func TestSEC489_TheNextEmailTellsNoMoreThanTheLink(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	mara, _ := s.two()
	newcomer := fresh("newcomer")
	s.visitor().signIn(mara, good).must(200)
	for name, find := range map[string]func() (link string){
		"a recovery": func() string {
			s.visitor().forgot(mara)
			return lastEmail(s, s.mail, mara).token(t)
		},
		"a code": func() string {
			s.visitor().sendCode(mara)
			return lastEmail(s, s.mail, mara).token(t)
		},
		"a sign-up": func() string {
			s.visitor().signUp(newcomer, good)
			return lastEmail(s, s.mail, newcomer).token(t)
		},
		"an operator": func() string {
			link, _, err := s.app.Operator.AccountLink(t.Context(), flow.ByOperator, s.of(mara))
			s.must(err)
			_, token, _ := strings.Cut(link, "?token=")
			return token
		},
	} {
		token := find()
		s.clock.Advance(20 * time.Minute)
		finder := s.visitor()
		pages := finder.open(token).body
		next := finder.form("/auth/confirm-link/resend", nil).must(303).header.Get("Location")
		_, flow, ok := strings.Cut(next, "/auth/verify-code?flow=")
		if !ok {
			t.Fatalf("%s: the browser is sent to %s", name, next)
		}
		for _, page := range []string{next, "/auth/api/flows/" + flow, "/auth/forgot-password?flow=" + flow, "/auth/signup?flow=" + flow, "/auth/signin-code?flow=" + flow} {
			pages += finder.get(page).body
		}
		if strings.Contains(pages, mara) || strings.Contains(pages, newcomer) {
			t.Errorf("%s: the finder reads the address", name)
		}
	}
	// The link of an alarm.
	finder := s.visitor()
	a := finder.raises(s.alarm(mara)).must(200)
	if pages := finder.get("/auth/api/flows/"+a.flow()).body + finder.get(a.next()).body; strings.Contains(pages, mara) {
		t.Error("an alarm: the finder reads the address")
	}
}

// The page that links a provider must not show a return target that is no
// longer allowed.
func TestSEC215_TargetIsCheckedWhenItIsShown(t *testing.T) {
	announce(t)
	t.Parallel()
	const target = "https://app.test/x"
	s, p := startWithIDP(t, true, apps)
	victim := fresh("victim")
	s.operator(victim, good)
	v := s.visitor()
	request := v.leave("acme", url.Values{"return_to": {target}})
	page := v.callback("acme", p.says(object{"sub": "x", "email": victim, "email_verified": true}).approve(request)).must(303).header.Get("Location")
	if b := v.get(page).must(200).boot(); b.ReturnTo != target {
		t.Fatalf("%s shows the target %q", page, b.ReturnTo)
	}
	s.config.ReturnOrigins = []string{"https://other.test"}
	s.restart()
	if b := v.get(page).must(200).boot(); b.ReturnTo != "" {
		t.Errorf("a target that is not allowed anymore is shown: %q", b.ReturnTo)
	}
}

// The links that sign in or lead to a new password: of 20 browsers that press one at
// once, one goes on, and the account gets one session.
func TestSEC026_OneLinkForOneOfManyBrowsers(t *testing.T) {
	announce(t)
	t.Parallel()
	s := start(t, byCode)
	address := fresh("v")
	s.operator(address, good)
	for before := range rounds(2, 50) {
		token, _ := s.handed(address)
		next := s.onePress(token)
		if n := s.count(`SELECT COUNT(*) FROM session`); n != before || !strings.HasPrefix(next, "/auth/signup-passkey?flow=") {
			t.Errorf("the operator's link gives %d sessions and leads to %s", n-before, next)
		}
		s.visitor().sendCode(address)
		s.onePress(lastEmail(s, s.mail, address).token(t))
		if n := s.count(`SELECT COUNT(*) FROM session`); n != before+1 {
			t.Errorf("one link to sign in gives %d sessions", n-before)
		}
		s.clock.Advance(time.Hour)
	}
}

// onePress opens a link in 20 browsers and presses its button in all of them at once. It
// returns the page to which the one successful press leads.
func (s *site) onePress(token string) (next string) {
	s.Helper()
	const n = 20
	var browsers [n]*visitor
	var answers [n]*answer
	for i := range browsers {
		browsers[i] = s.visitor()
		browsers[i].open(token).must(200)
	}
	var errs [n]error
	atOnce(n, func(i int) { answers[i], errs[i] = browsers[i].tryAs(browsers[i], "confirm-link", object{}) })
	if err := errors.Join(errs[:]...); err != nil {
		s.Fatal(err)
	}
	won := 0
	for _, a := range answers {
		if a.status == 200 {
			won, next = won+1, a.next()
			continue
		}
		a.refused(409, "link.used")
	}
	if won != 1 {
		s.Fatalf("%d of %d browsers go on with one link", won, n)
	}
	return next
}
