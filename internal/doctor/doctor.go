package doctor

import (
	"context"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"portico/internal/clock"
	"portico/internal/config"
	"portico/internal/fault"
)

// State is the result of a check.
type State string

const (
	OK      State = "ok"
	Warning State = "warning" // works, or will work, and needs attention
	Failed  State = "failed"
	Skipped State = "skipped" // not tested, because of another finding
)

// Finding is one result of a check.
type Finding struct {
	Check string `json:"check"`
	State State  `json:"state"`
	Found string `json:"found"`
	Do    string `json:"do,omitempty"`
}

// String returns the finding on one line.
func (f Finding) String() string {
	line := string(f.State) + "\t" + f.Check + "\t" + strings.Join(strings.Fields(f.Found), " ")
	if f.Do != "" {
		line += ": " + f.Do
	}
	return line
}

const (
	// limit is the time limit of a check.
	limit = 5 * time.Second
	// grace is the additional time for a canceled check to report its failed
	// step.
	grace = 250 * time.Millisecond
)

// check is one check. It is skipped if one of the settings in needs could not
// be read, because the intended value is unknown.
type check struct {
	name  string
	needs []string
	try   func(context.Context, *report)
}

// doctor is the state that checks share.
type doctor struct {
	config config.Config
	clock  clock.Clock
	limit  time.Duration

	resolver *net.Resolver
	kept     func() (kept, known bool) // whether a time service keeps the clock

	base     context.Context
	database func() database // opened once, by the first check that needs it
	serving  func() serving  // asked once
}

// Examine runs all checks and returns their findings. wrong lists the known
// problems of cfg, which may be incomplete.
func Examine(ctx context.Context, cfg config.Config, wrong config.Problems) []Finding {
	return newDoctor(ctx, cfg).examine(ctx, wrong)
}

// glanceLimit is the time limit of a check of Glance: somebody waits for the page.
const glanceLimit = 2 * time.Second

// Glance runs the checks that ask no other server than the database and count no table, with a
// short time limit, for a page of a running server.
func Glance(ctx context.Context, cfg config.Config) []Finding {
	ctx, cancel := context.WithTimeout(ctx, glanceLimit)
	defer cancel()
	d := newDoctor(ctx, cfg)
	d.limit = glanceLimit
	checks := slices.DeleteFunc(d.storageChecks(), func(c check) bool { return c.name == "passkeys" || c.name == "clock" && d.onSQLite() })
	found := d.carryOut(ctx, append([]check{{name: "settings", try: func(_ context.Context, r *report) { d.settings(r, nil) }}}, checks...))
	go d.close() // which waits for a database that does not answer
	return found
}

// LostPasskeys returns the finding of Examine about passkeys that do not work, because
// they were made for another host than public_url. It returns nothing if there are
// none, or if the database cannot be read.
func LostPasskeys(ctx context.Context, cfg config.Config) []Finding {
	d := newDoctor(ctx, cfg)
	found := d.within(ctx, d.passkeyCheck())
	d.close()
	return slices.DeleteFunc(found, func(f Finding) bool { return f.State != Warning })
}

func newDoctor(ctx context.Context, cfg config.Config) *doctor {
	d := &doctor{config: cfg, clock: clock.System{}, limit: limit, base: ctx, resolver: net.DefaultResolver, kept: clockKept}
	d.database, d.serving = sync.OnceValue(d.look), sync.OnceValue(d.askReady)
	return d
}

func (d *doctor) examine(ctx context.Context, wrong config.Problems) []Finding {
	all := []check{{name: "settings", try: func(_ context.Context, r *report) { d.settings(r, wrong) }}}
	all = append(all, d.storageChecks()...)
	all = append(all, check{"mail", []string{"smtp_url", "mail_from", "public_url"}, d.mail})
	all = append(all, check{"dns", []string{"mail_from", "mail_dkim_selector"}, d.sender})
	all = append(all, d.providerChecks()...)
	all = append(all, d.appChecks()...)
	all = append(all, d.webhookChecks()...)
	if d.config.TLS.On() {
		all = append(all, check{"certificate", []string{"listen", "public_url", "tls.acme", "tls.cert_file", "tls.key_file"}, d.certificates})
	}
	all = append(all,
		check{"server", []string{"ops_listen"}, d.server},
		check{"public_url", []string{"public_url"}, d.public},
	)
	found := d.carryOut(ctx, all)
	d.close()
	return found
}

func (d *doctor) close() {
	if db := d.database(); db.store != nil {
		_ = db.store.Close() // only reads happened
	}
}

func (d *doctor) carryOut(ctx context.Context, all []check) []Finding {
	results := make([][]Finding, len(all))
	var work sync.WaitGroup
	for i, c := range all {
		work.Go(func() { results[i] = d.within(ctx, c) })
	}
	work.Wait()
	var found []Finding
	for _, r := range results {
		found = append(found, r...)
	}
	return found
}

// within runs one check. It leaves a check behind that does not end in time.
func (d *doctor) within(ctx context.Context, c check) []Finding {
	for _, key := range c.needs {
		if !d.config.Known(key) {
			r := &report{check: c.name}
			r.add(Skipped, key+" could not be read", "")
			return r.found
		}
	}
	ctx, cancel := context.WithTimeout(ctx, d.limit)
	defer cancel()
	done := make(chan []Finding, 1)
	go func() {
		r := &report{check: c.name}
		if err := c.survived(ctx, r); err != nil {
			r.add(Failed, "the check itself failed: "+err.Error(), "report this to the maintainers of Portico")
		}
		done <- r.found
	}()
	select {
	case found := <-done:
		return found
	case <-ctx.Done():
	}
	select {
	case found := <-done:
		return found
	case <-time.After(grace):
		r := &report{check: c.name}
		r.add(Failed, "no answer within "+d.limit.String(), "check the network to it, and its load")
		return r.found
	}
}

// survived turns a panic of the check into an error: a server may run it.
func (c check) survived(ctx context.Context, r *report) (err error) {
	defer fault.Recover(&err)
	c.try(ctx, r)
	return nil
}

// because returns the words for a failure, followed by its error.
func because(words, failed string) string {
	if words == "" {
		return failed
	}
	return words + " (" + failed + ")"
}

// unreached returns because for a request to one server, whose address is in the words.
func unreached(words string, err error) string {
	if request, ok := errors.AsType[*url.Error](err); ok {
		err = request.Err
	}
	return because(words, err.Error())
}

// report collects the findings of one check. It is not safe for concurrent use.
type report struct {
	check string
	found []Finding
}

func (r *report) add(state State, found, do string) {
	r.found = append(r.found, Finding{r.check, state, found, do})
}
