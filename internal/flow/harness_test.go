package flow_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"portico/internal/audit"
	"portico/internal/breach"
	"portico/internal/clock"
	"portico/internal/egress"
	"portico/internal/federation"
	"portico/internal/flow"
	"portico/internal/outbox"
	"portico/internal/password"
	"portico/internal/secret"
	"portico/internal/session"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
	"portico/internal/testform"
	"portico/internal/webhook"
)

const good = "copper lantern over seven hills"

// bundle is everything that one test needs, with nothing faked but the clock
// and the mailbox.
type bundle struct {
	*testing.T
	flow.All
	store flowStore
	clock *clock.Manual
	mail  *mailbox
}

// flowStore gives the flows the transactions of a real SQLite file. Each runs as often as runs
// says, undone before the last time, as a database with many writers may ask for.
type flowStore struct {
	*store.Store
	facts *facts
	state *state
}

// state is the data of each account after the last transaction, nil if it is not known.
type state struct{ last map[string]map[string]string }

var errUndone = errors.New("undone")

func (s flowStore) Write(ctx context.Context, fn func(flow.Tx) error) error {
	for range runs - 1 {
		err := s.Store.Write(ctx, func(tx *store.Tx) error { return errors.Join(fn(tx), errUndone) })
		if !errors.Is(err, errUndone) {
			return err
		}
	}
	noting := notingTx{}
	var untold []string
	err := s.Store.Write(ctx, func(tx *store.Tx) error {
		noting = notingTx{Tx: tx, noted: new([]audit.Fact), posted: new([]string), told: new([]webhook.Event)}
		before, err := s.state.last, error(nil)
		if before == nil {
			before, err = stateOf(ctx, tx)
		}
		if err != nil {
			return err
		}
		if err := fn(noting); err != nil {
			return err
		}
		after, err := stateOf(ctx, tx)
		untold = unspoken(before, after, *noting.told)
		s.keep(after)
		return err
	})
	if err == nil {
		s.facts.add(*noting.noted, *noting.posted, untold, *noting.told)
	}
	return err
}

// keep notes the state for the next transaction. SQLite runs one at a time, which guards it. On PostgreSQL
// others may run meanwhile, so each reads it.
func (s flowStore) keep(last map[string]map[string]string) {
	if !s.Shared() {
		s.state.last = last
	}
}

// past runs a transaction of which the flows know nothing.
func (s flowStore) past(ctx context.Context, fn func(*store.Tx) error) error {
	return s.Store.Write(ctx, func(tx *store.Tx) error {
		s.keep(nil)
		return fn(tx)
	})
}

// notingTx notes the audit records of a transaction, which no package reads from
// the database, the templates of its emails, and its events for webhooks.
type notingTx struct {
	flow.Tx
	noted  *[]audit.Fact
	posted *[]string
	told   *[]webhook.Event
}

func (t notingTx) InsertDelivery(ctx context.Context, d webhook.Delivery) error {
	*t.told = append(*t.told, d.Event)
	return t.Tx.InsertDelivery(ctx, d)
}

// InsertMessage puts all into one lane, so that emails come in the order of their changes.
func (t notingTx) InsertMessage(ctx context.Context, all ...outbox.Record) error {
	all = slices.Clone(all)
	for i := range all {
		*t.posted = append(*t.posted, all[i].Template)
		all[i].Lane = outbox.Mail
	}
	return t.Tx.InsertMessage(ctx, all...)
}

func (t notingTx) InsertFact(ctx context.Context, all ...audit.Fact) error {
	*t.noted = append(*t.noted, all...)
	return t.Tx.InsertFact(ctx, all...)
}

// facts holds the audit records of the committed transactions, in their order.
type facts struct {
	mu     sync.Mutex
	list   []audit.Fact
	silent []audit.Name // those without the email that they need
	untold []string     // changes without the event that they need
	told   []webhook.Event
	post   func() // after a transaction with an email
}

func (n *facts) add(more []audit.Fact, posted, untold []string, told []webhook.Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = append(n.told, told...)
	n.untold = append(n.untold, untold...)
	n.list = append(n.list, more...)
	if len(posted) > 0 {
		n.post()
	}
	for _, f := range more {
		if !emailed(f.Name, posted) {
			n.silent = append(n.silent, f.Name)
		}
	}
}

// all returns the records until now.
func (n *facts) all() []audit.Fact {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// unsaid returns the events without the email that they need.
func (n *facts) unsaid() []audit.Name {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.silent)
}

// record returns the newest audit record of an event. It fails the test when there
// is none.
func (b *bundle) record(name audit.Name) audit.Fact {
	b.Helper()
	for _, f := range slices.Backward(b.store.facts.all()) {
		if f.Name == name {
			return f
		}
	}
	b.Fatalf("no transaction recorded %s", name)
	return audit.Fact{}
}

func (s flowStore) Read(ctx context.Context, fn func(flow.Tx) error) error {
	return s.Store.Read(ctx, func(tx *store.Tx) error { return fn(tx) })
}

// mailbox keeps what the outbox delivers.
type mailbox struct {
	mu       sync.Mutex
	came     map[string]bool // ids of all messages until now
	messages []outbox.Message
	alarms   []string // addresses of the emails, apart from the code of an alarm
	arrived  chan struct{}
}

// deliver keeps a message once. It may come twice, if a test moves the clock past the lease of the
// outbox while the message is sent.
func (m *mailbox) deliver(_ context.Context, msg outbox.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.came[msg.ID] {
		return nil
	}
	m.came[msg.ID] = true
	if msg.Template == "alarm-raised" {
		m.alarms = append(m.alarms, msg.To)
		return nil
	}
	m.messages = append(m.messages, msg)
	m.arrived <- struct{}{}
	return nil
}

// next waits for the next mail and returns it.
func (b *bundle) next() outbox.Message {
	b.Helper()
	select {
	case <-b.mail.arrived:
	case <-time.After(testform.Patience):
		b.Fatal("no mail came")
	}
	b.mail.mu.Lock()
	defer b.mail.mu.Unlock()
	m := b.mail.messages[0]
	b.mail.messages = b.mail.messages[1:]
	return m
}

type option func(*flow.Config)

func closed(c *flow.Config) { c.SignUp = flow.ModeClosed }

func setup(t *testing.T, options ...option) *bundle {
	t.Helper()
	return setupOn(t, sqlitetest.Open(t), options...)
}

func setupOn(t *testing.T, s *store.Store, options ...option) *bundle {
	t.Helper()
	b := &bundle{
		T: t, store: flowStore{s, &facts{}, &state{}}, clock: clock.NewManual(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)),
		mail: &mailbox{arrived: make(chan struct{}, 1000), came: map[string]bool{}},
	}
	key := secret.NewKey()
	filter, err := breach.Load()
	if err != nil {
		t.Fatal(err)
	}
	passwords, err := password.New(password.Config{Key: key, Breached: filter, Names: []string{"Portico"}, Cost: password.Cost{Memory: 64, Passes: 1}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(passwords.Close)
	box := outbox.New(outbox.Config{Clock: b.clock, Box: key.Box("outbox")})
	cfg := flow.Config{
		Store: b.store, Clock: b.clock, Key: key, Passwords: passwords,
		Sessions:  session.NewKeeper(session.Config{Clock: b.clock, Idle: 7 * 24 * time.Hour, Absolute: 30 * 24 * time.Hour, CacheMax: 1000}),
		Providers: federated(t, b.clock), Outbox: box,
		Events: webhook.NewQueue([]webhook.Hook{{Name: "all", Events: []string{webhook.Every}}}, b.clock, webhook.NewRunner(webhook.RunnerConfig{})),
		Settings: flow.Settings{
			Locale: func(tag string) string { return tag }, SignUp: flow.ModeOpen, PublicURL: "https://portico.test",
			Targets: flow.Targets{Fallback: "/auth/account", Origins: []string{"https://app.test"}},
		},
	}
	for _, o := range options {
		o(&cfg)
	}
	b.All = flow.New(cfg)
	b.run(box)
	t.Cleanup(func() {
		if silent := b.store.facts.unsaid(); len(silent) > 0 {
			t.Errorf("no email tells of %q: see docs/operating/audit.md", silent)
		}
		if len(b.store.facts.untold) > 0 {
			t.Errorf("no event tells webhooks of changes: %q (see EventTypes)", b.store.facts.untold)
		}
	})
	return b
}

// run delivers what the flows post, as the application does.
func (b *bundle) run(box *outbox.Outbox) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	runner := outbox.NewRunner(outbox.RunnerConfig{
		Outbox: box, Lane: outbox.Mail, Parallel: 10, Log: slog.New(slog.DiscardHandler), Deliver: b.mail.deliver,
		Write: func(ctx context.Context, fn func(outbox.Store) error) error {
			return b.store.Store.Write(ctx, func(tx *store.Tx) error { return fn(tx) })
		},
	})
	b.store.facts.post = func() { box.Wake(outbox.Mail) }
	running.Go(func() { runner.Run(ctx) })
	b.Cleanup(func() { cancel(); running.Wait() })
}

// visitor is a browser: it keeps the cookies that flows give it.
type visitor struct {
	*bundle
	flow.Caller
}

func (b *bundle) visitor(peer string) *visitor {
	return &visitor{b, flow.Caller{Peer: peer, Locale: "en", Agent: "test"}}
}

// keep stores the cookies of a result.
func (v *visitor) keep(r flow.Result) flow.Result {
	if r.BrowserCookie != "" {
		v.BrowserCookie = r.BrowserCookie
	}
	if r.Device != "" {
		v.Device = r.Device
	}
	if r.Trust != "" {
		v.Trust = r.Trust
	}
	if r.Session != nil {
		v.Caller.Session = r.Session.Value
	}
	return r
}

func (v *visitor) must(r flow.Result, err error) flow.Result {
	v.Helper()
	if err != nil {
		v.Fatal(err)
	}
	return v.keep(r)
}

// register takes a new person through registration and returns the flow's id.
func (v *visitor) register(address string) {
	v.Helper()
	r := v.must(v.Flows.SignUp(v.Context(), v.Caller, flow.SignUpInput{Email: address, Password: good, Confirm: good}))
	v.must(v.Flows.VerifyCode(v.Context(), v.Caller, r.FlowID, v.next().Data["code"]))
}

// registered returns a bundle with a visitor who has registered as mara@example.org.
func registered(t *testing.T, options ...option) (*bundle, *visitor) {
	t.Helper()
	b := setup(t, options...)
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	return b, v
}

// admin makes an admin with a second factor, and signs them in.
func (b *bundle) admin(address, peer string) (*visitor, phone) {
	b.Helper()
	if _, err := b.Operator.CreateUser(b.Context(), flow.ByOperator, address, "", good, flow.RoleAdmin); err != nil {
		b.Fatal(err)
	}
	v := b.visitor(peer)
	v.must(v.signIn(address, good))
	return v, v.enrols()
}

func (v *visitor) signIn(address, password string) (flow.Result, error) {
	return v.Flows.SignIn(v.Context(), v.Caller, flow.SignInInput{Email: address, Password: password})
}

// signedIn returns the address of the signed-in user, "" without a session.
func (v *visitor) signedIn() string {
	found, err := v.Flows.Session(v.Context(), v.Caller.Session)
	if err != nil {
		return ""
	}
	return found.User.Address
}

// linkToken takes the token out of a mailed link.
func linkToken(m outbox.Message) string {
	_, token, _ := strings.Cut(m.Data["link"], "token=")
	return token
}

// federated returns providers with the ids.
func federated(t *testing.T, c clock.Clock, ids ...string) *federation.Service {
	t.Helper()
	client, err := egress.New(egress.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg := federation.Config{Client: client, Clock: c, RedirectURL: func(string) string { return "https://portico.test/cb" }}
	for _, id := range ids {
		cfg.Providers = append(cfg.Providers, federation.ProviderConfig{ID: id, ClientID: "x", ClientSecret: "y"})
	}
	service, err := federation.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return service
}
