package flow_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/audit"
	"portico/internal/budget"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/job"
	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/internal/store/sqlitetest"
	"portico/internal/webhook"
)

var errKilled = errors.New("the process is killed")

// mortal is the store of a process that is killed at some transaction: right before its commit or right
// after it, when the process does not know that it has committed.
type mortal struct {
	flow.Store
	left  atomic.Int64 // transactions until then; 0 for never
	after bool
	does  func() // instead of being killed, before the transaction
}

func (m *mortal) Write(ctx context.Context, fn func(flow.Tx) error) error {
	if m.left.Add(-1) != 0 {
		return m.Store.Write(ctx, fn)
	}
	if m.does != nil {
		m.does()
		return m.Store.Write(ctx, fn)
	}
	if m.after {
		return errors.Join(m.Store.Write(ctx, fn), errKilled)
	}
	return m.Store.Write(ctx, func(tx flow.Tx) error { return errors.Join(fn(tx), errKilled) })
}

// desk is an admin, and people whom they change.
type desk struct {
	*visitor
	store  *mortal
	people []account.Account
}

// crowd is how many people a desk has.
const crowd = 7

func newDesk(t *testing.T, s *store.Store, changes ...option) *desk {
	t.Helper()
	d := &desk{store: &mortal{}}
	changes = append([]option{func(c *flow.Config) { d.store.Store, c.Store = c.Store, d.store }}, changes...)
	b := setupOn(t, s, changes...)
	admin, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "admin@example.org", "", good, flow.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	for n := range crowd {
		a, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, fmt.Sprintf("p%d@example.org", n), "", "", "staff")
		if err != nil {
			t.Fatal(err)
		}
		d.people = append(d.people, a)
	}
	d.visitor = b.visitor("192.0.2.1")
	d.must(d.signIn("admin@example.org", good))
	d.enrols()
	d.people = append(d.people, admin)
	b.clock.Advance(time.Second)
	return d
}

func (d *desk) by() flow.Actor { return flow.ByAdmin(d.Caller, d.found()) }

func (d *desk) begins(b flow.Bulk) flow.Task {
	d.Helper()
	begun, err := d.Operator.BeginBulk(d.Context(), d.by(), b)
	if err != nil {
		d.Fatal(err)
	}
	return begun
}

// ends works until the job has ended.
func (d *desk) ends(id string) flow.Task {
	d.Helper()
	for range 20 {
		if err := d.Operator.WorkJobs(d.Context()); err != nil && !errors.Is(err, errKilled) {
			d.Fatal(err)
		}
		if now, err := d.Operator.Job(d.Context(), id); err != nil || now.State != job.Running {
			if err != nil {
				d.Fatal(err)
			}
			return now
		}
	}
	d.Fatal("the job does not end")
	return flow.Task{}
}

func (d *desk) recorded(name audit.Name) map[string]int {
	counts := map[string]int{}
	for _, f := range d.bundle.store.facts.all() {
		if f.Name == name && f.Actor == audit.ByAdmin(d.found().User.ID) {
			counts[f.AccountID]++
		}
	}
	return counts
}

func engines() map[string]func(t *testing.T) *store.Store {
	return map[string]func(t *testing.T) *store.Store{
		"SQLite": func(t *testing.T) *store.Store { return sqlitetest.Open(t) },
		"Postgres": func(t *testing.T) *store.Store {
			s, err := store.Open(t.Context(), store.Config{URL: pgtest.Migrated(t)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			return s
		},
	}
}

// A job that is killed at any of its transactions goes on, changes each person once, and skips
// nobody else.
func TestWorkJobs_Killed(t *testing.T) {
	t.Parallel()
	for engine, open := range engines() {
		for at := 1; at <= crowd+2; at += 3 {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/%t", engine, at, after), func(t *testing.T) {
					t.Parallel()
					d := newDesk(t, open(t))
					begun := d.begins(flow.Bulk{Kind: flow.BulkDisable, Query: account.Query{Role: "staff"}})
					d.clock.Advance(time.Second)
					late, err := d.Operator.CreateUser(t.Context(), flow.ByOperator, "late@example.org", "", "", "staff")
					if err != nil {
						t.Fatal(err)
					}
					d.store.after = after
					d.store.left.Store(int64(at))
					ended := d.ends(begun.ID)
					if ended.State != job.Done || ended.Done != crowd || ended.Skips != 0 || begun.Total != crowd {
						t.Errorf("begun with %d people, ended as %+v", begun.Total, ended.Progress)
					}
					recorded := d.recorded(audit.AccountDisabled)
					for _, p := range d.people[:crowd] {
						if recorded[p.ID] != 1 {
							t.Errorf("%s was disabled %d times", p.Address.Mail, recorded[p.ID])
						}
					}
					if len(recorded) != crowd || recorded[late.ID] > 0 {
						t.Errorf("changed: %v", recorded)
					}
					if f := d.record(audit.AccountDisabled); f.Peer != d.Peer || f.UserAgent != d.Agent {
						t.Errorf("the record names %q and %q", f.Peer, f.UserAgent)
					}
				})
			}
		}
	}
}

// What is skipped is the same before and after, and only the others change.
func TestBulk_Skips(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	ctx, admin := t.Context(), d.people[crowd].ID
	var all []string
	for _, p := range d.people {
		all = append(all, p.ID)
	}
	if _, err := d.Operator.ScheduleErasure(ctx, flow.ByOperator, all[0], "p0@example.org"); err != nil {
		t.Fatal(err)
	}
	if err := d.Operator.SetUserState(ctx, flow.ByOperator, all[1], account.DisabledByOperator); err != nil {
		t.Fatal(err)
	}
	nobody := "00000000000000000000000000"
	for _, c := range []struct {
		bulk flow.Bulk
		want map[string]string
	}{
		{flow.Bulk{Kind: flow.BulkDisable, People: all[:2:2]}, map[string]string{all[1]: "same"}}, // the other one stays disabled after an undone deletion
		{flow.Bulk{Kind: flow.BulkDisable, People: []string{admin, nobody}}, map[string]string{admin: "self", nobody: "missing"}},
		{flow.Bulk{Kind: flow.BulkEnable, People: all[:3:3]}, map[string]string{all[0]: "leaving", all[2]: "same"}},
		{flow.Bulk{Kind: flow.BulkEnable, Query: account.Query{State: account.Leaving}}, map[string]string{all[0]: "leaving"}},
		{flow.Bulk{Kind: flow.BulkEndSessions}, map[string]string{admin: "self"}},
		{flow.Bulk{Kind: flow.BulkGiveRole, Role: "staff", People: all[:1:1]}, map[string]string{all[0]: "same"}},
		{flow.Bulk{Kind: flow.BulkTakeRole, Role: flow.RoleAdmin, People: []string{admin, all[3]}}, map[string]string{admin: "self", all[3]: "same"}},
		{flow.Bulk{Kind: flow.BulkGiveRole, Role: "more", People: append(all[3:5:5], all[3])}, map[string]string{}},
	} {
		tried, err := d.Operator.TryBulk(ctx, d.by(), c.bulk)
		if err != nil {
			t.Fatal(err)
		}
		had := len(d.bundle.store.facts.all())
		ended := d.ends(d.begins(c.bulk).ID)
		for when, got := range map[string]flow.Task{"before": tried, "after": ended} {
			found := map[string]string{}
			for _, s := range got.Skipped {
				found[s.ID] = s.Why
			}
			if fmt.Sprint(found) != fmt.Sprint(c.want) || got.Skips != int64(len(c.want)) || got.Total != ended.Done {
				t.Errorf("%s of %v: %v of %d, want %v", c.bulk.Kind, c.bulk.People, found, got.Total, c.want)
			}
			if a := got.Addresses[admin]; when == "before" && c.want[admin] != "" && a != "admin@example.org" {
				t.Errorf("the admin has the address %q", a)
			}
		}
		if c.bulk.Role == "more" && len(d.bundle.store.facts.all()) != had+2 {
			t.Error("two people got a role, and there are other records than two")
		}
	}
	if a, err := d.Operator.Person(ctx, all[4]); err != nil || !slices.Equal(a.Account.Roles, []string{"more", "staff"}) {
		t.Errorf("the roles are %v (%v)", a.Account.Roles, err)
	}
}

// counted is a store that counts some statements.
type counted struct {
	flow.Store
	accounts   int   // that were read one by one
	deliveries []int // of each transaction
}

type countedTx struct {
	flow.Tx
	of *counted
}

func (c *counted) Read(ctx context.Context, fn func(flow.Tx) error) error {
	return c.Store.Read(ctx, func(tx flow.Tx) error { return fn(countedTx{tx, c}) })
}

func (c *counted) Write(ctx context.Context, fn func(flow.Tx) error) error {
	c.deliveries = append(c.deliveries, 0)
	return c.Store.Write(ctx, func(tx flow.Tx) error {
		c.deliveries[len(c.deliveries)-1] = 0
		return fn(countedTx{tx, c})
	})
}

func (c *counted) sum() (sum int) {
	for _, n := range c.deliveries {
		sum += n
	}
	return sum
}

func (t countedTx) AccountByID(ctx context.Context, id string) (account.Account, bool, error) {
	t.of.accounts++
	return t.Tx.AccountByID(ctx, id)
}

func (t countedTx) InsertDelivery(ctx context.Context, d webhook.Delivery) error {
	t.of.deliveries[len(t.of.deliveries)-1]++
	return t.Tx.InsertDelivery(ctx, d)
}

// The accounts of a list of jobs, with those that were skipped, are read at once.
func TestJobs_NamesThemAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	_, key := d.key()
	for _, by := range []flow.Actor{d.by(), key} {
		begun, err := d.Operator.BeginBulk(t.Context(), by, flow.Bulk{Kind: flow.BulkGiveRole, Role: "staff", Query: account.Query{Role: "staff"}})
		d.bundle.must(err)
		d.ends(begun.ID)
		d.clock.Advance(time.Second)
	}
	c := &counted{Store: d.store.Store}
	d.store.Store = c
	list, err := d.Operator.Jobs(t.Context())
	if err != nil || len(list) != 2 || list[0].By != "sync" || list[1].By != "admin@example.org" || c.accounts != 0 {
		t.Fatalf("%d accounts were read one by one for %+v, %v", c.accounts, list, err)
	}
	for n, p := range d.people[:crowd] {
		if a := list[0].Addresses[p.ID]; len(list[0].Skipped) != crowd || a != fmt.Sprintf("p%d@example.org", n) {
			t.Errorf("%d were skipped, and one of them has the address %q", len(list[0].Skipped), a)
		}
	}
}

// rare is a store of very many accounts, of which a page rarely has one that matches.
type rare struct {
	flow.Store
	left atomic.Int64 // pages
}

type rarePages struct {
	flow.Tx
	of *rare
}

func (r *rare) Read(ctx context.Context, fn func(flow.Tx) error) error {
	return r.Store.Read(ctx, func(tx flow.Tx) error { return fn(rarePages{tx, r}) })
}

func (p rarePages) People(ctx context.Context, q account.Query, now time.Time) (account.Page, error) {
	if left := p.of.left.Add(-1); q.Role != "rare" || left <= 0 {
		return p.Tx.People(ctx, q, now)
	}
	return account.Page{Next: "another", Partial: true}, nil
}

// A trial does not read all accounts for a filter that nobody meets. The job does, page by page.
func TestTryBulk_OfRarePeople(t *testing.T) {
	t.Parallel()
	r := &rare{}
	d := newDesk(t, sqlitetest.Open(t), func(c *flow.Config) { r.Store, c.Store = c.Store, r })
	bulk := flow.Bulk{Kind: flow.BulkDisable, Query: account.Query{Role: "rare"}}
	for what, ask := range map[string]func(context.Context, flow.Actor, flow.Bulk) (flow.Task, error){"tried": d.Operator.TryBulk, "begun": d.Operator.BeginBulk} {
		r.left.Store(500)
		got, err := ask(t.Context(), d.by(), bulk)
		if looked := 500 - r.left.Load(); err != nil || looked > 25 || !got.More || got.Total != 0 {
			t.Errorf("%s: %d pages of 500, %d people, more %t (%v)", what, looked, got.Total, got.More, err)
		}
	}
}

// To enable an account whose end has come takes the end away, also before the account is closed.
func TestBulk_EnablesEnded(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	id := d.people[0].ID
	d.bundle.must(d.Operator.SetUserEnd(t.Context(), flow.ByOperator, id, d.clock.Now().Add(time.Minute)))
	d.clock.Advance(time.Minute)
	ended := d.ends(d.begins(flow.Bulk{Kind: flow.BulkEnable, People: []string{id}}).ID)
	p, err := d.Operator.Person(t.Context(), id)
	if err != nil || ended.Skips != 0 || !p.Account.EndsAt.IsZero() || p.Account.State != account.Active {
		t.Errorf("%+v, and the account is %s and ends at %v (%v)", ended.Skipped, p.Account.State, p.Account.EndsAt, err)
	}
}

// Each page of the people has the time of a request, because the database may be on another machine.
func TestTryBulk_InParts(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	s := &spender{Store: d.store.Store, reads: true}
	d.store.Store = s
	b := flow.Bulk{Kind: flow.BulkDisable}
	for range 120 {
		b.People = append(b.People, ids.New())
	}
	request := context.WithValue(t.Context(), budget.Key{}, new(budget.Budget))
	tried, err := d.Operator.TryBulk(request, d.by(), b)
	if err != nil || tried.Total != 120 || len(s.leftToRead) != 3 || slices.Min(s.leftToRead) != time.Second {
		t.Errorf("%d people in %v (%v)", tried.Total, s.leftToRead, err)
	}
}

func TestBeginBulk_Refuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	one := []string{d.people[0].ID}
	for field, b := range map[string]flow.Bulk{
		"action": {Kind: "delete", People: one},
		"role":   {Kind: flow.BulkGiveRole, Role: "no role", People: one},
		"people": {Kind: flow.BulkDisable, People: slices.Repeat(one, flow.MostPicked+1)},
		"state":  {Kind: flow.BulkDisable, Query: account.Query{State: "no"}},
	} {
		_, err := d.Operator.BeginBulk(t.Context(), d.by(), b)
		if f := fault.From(err); err == nil || len(f.Fields) != 1 || f.Fields[0].Name != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := d.Operator.BeginBulk(t.Context(), flow.ByOperator, flow.Bulk{Kind: flow.BulkDisable, People: one}); !errors.Is(err, flow.ErrNotAdmin) {
		t.Errorf("a job without an admin: %v", err)
	}
	d.begins(flow.Bulk{Kind: flow.BulkDisable, People: one})
	if _, err := d.Operator.BeginBulk(t.Context(), d.by(), flow.Bulk{Kind: flow.BulkEnable, People: one}); !errors.Is(err, job.Busy) {
		t.Errorf("a second job: %v", err)
	}
	if _, err := d.Operator.Job(t.Context(), "no"); !errors.Is(err, job.Missing) {
		t.Errorf("no job: %v", err)
	}
}

// The story of a person names the address of an admin, while the account exists.
func TestWhy_NamesTheAdmin(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	person := d.people[0]
	if err := d.Operator.SetUserName(t.Context(), d.by(), person.ID, "Mara"); err != nil {
		t.Fatal(err)
	}
	for _, erased := range []bool{false, true} {
		want := audit.ByAdmin(d.people[crowd].ID)
		if erased {
			if err := d.Operator.DeleteUser(t.Context(), flow.ByOperator, d.people[crowd].ID); err != nil {
				t.Fatal(err)
			}
		} else {
			want += " (admin@example.org)"
		}
		if _, lines := d.story(person.Address.Mail); !strings.Contains(lines, "event name_changed: by "+want+",") {
			t.Errorf("want %s:\n%s", want, lines)
		}
	}
}

// Another admin deletes an account between the moment when a job finds it and the one when it would enable it.
func TestBulk_DeletedMeanwhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	person := d.people[0]
	d.bundle.must(d.Operator.SetUserState(t.Context(), flow.ByOperator, person.ID, account.DisabledByOperator))
	begun := d.begins(flow.Bulk{Kind: flow.BulkEnable, People: []string{person.ID}})
	d.store.does = func() {
		if _, err := d.Operator.ScheduleErasure(t.Context(), flow.ByOperator, person.ID, person.Address.Mail); err != nil {
			t.Error(err)
		}
	}
	d.store.left.Store(1)
	ended := d.ends(begun.ID)
	if len(ended.Skipped) != 1 || ended.Skipped[0].Why != "leaving" {
		t.Errorf("skipped: %+v", ended.Skipped)
	}
	if p, err := d.Operator.Person(t.Context(), person.ID); err != nil || p.Account.State != account.DisabledByOperator || p.Leaves.EraseAt.IsZero() {
		t.Errorf("the account is %s, to be erased at %v (%v)", p.Account.State, p.Leaves.EraseAt, err)
	}
}

// A job that an admin stops between two people changes nobody after that, also if a step has begun. A key stops only
// its own.
func TestStopJob(t *testing.T) {
	t.Parallel()
	for engine, open := range engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, open(t))
			_, key := d.key()
			begun := d.begins(flow.Bulk{Kind: flow.BulkDisable, Query: account.Query{Role: "staff"}})
			if _, err := d.Operator.StopJob(t.Context(), key, begun.ID); !errors.Is(err, job.Missing) {
				t.Errorf("a key stops the job of an admin: %v", err)
			}
			d.store.does = func() {
				if stopped, err := d.Operator.StopJob(t.Context(), d.by(), begun.ID); err != nil || stopped.State != job.Failed || stopped.Why != "stopped" || stopped.Done != 2 {
					t.Errorf("%+v (%v)", stopped.Job, err)
				}
			}
			d.store.left.Store(3)
			if end := d.ends(begun.ID); end.Done != 2 {
				t.Errorf("%d people were changed", end.Done)
			}
			if got := d.recorded(audit.AccountDisabled); len(got) != 2 {
				t.Errorf("%d people are disabled", len(got))
			}
			if again, err := d.Operator.StopJob(t.Context(), d.by(), begun.ID); err != nil || again.Step != begun.Step+3 {
				t.Errorf("stopped twice: %+v (%v)", again.Job, err)
			}
			if got := d.recorded(audit.JobStopped); got[""] != 1 {
				t.Errorf("%d records say who has stopped it", got[""])
			}
			if f := d.record(audit.JobStopped); f.Detail != "disable,"+begun.ID {
				t.Errorf("the record has the detail %q", f.Detail)
			}
		})
	}
}
