package flow_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/budget"
	"portico/internal/fault"
	"portico/internal/flow"
	"portico/internal/ids"
	"portico/internal/job"
	"portico/internal/store"
	"portico/internal/store/sqlitetest"
	"portico/internal/webhook"
)

// sends opens an import of an admin or a key, and sends its file.
func (d *desk) sends(by flow.Actor, o flow.ImportOrder, file string) flow.ImportJob {
	d.Helper()
	draft, err := d.Operator.OpenImport(d.Context(), by, o)
	if err == nil {
		draft, err = d.Operator.ReadImport(d.Context(), by, draft.ID, strings.NewReader(file))
	}
	if err != nil {
		d.Fatal(err)
	}
	return draft
}

func (d *desk) starts(by flow.Actor, id string) {
	d.Helper()
	if _, err := d.Operator.StartImport(d.Context(), by, id, true); err != nil {
		d.Fatal(err)
	}
}

func (d *desk) shows(by flow.Actor, id string) flow.ImportJob {
	d.Helper()
	shown, err := d.Operator.ImportJob(d.Context(), by, id)
	if err != nil {
		d.Fatal(err)
	}
	return shown
}

func (d *desk) rejected(by flow.Actor, id string) string {
	d.Helper()
	var out strings.Builder
	if err := d.Operator.Rejected(d.Context(), by, id, &out, func() error { return nil }); err != nil {
		d.Fatal(err)
	}
	return out.String()
}

func problems(i flow.ImportJob) (all []string) {
	for _, p := range i.Problems {
		all = append(all, p.Where+": "+p.Error())
	}
	return all
}

// A file is judged, then imported by a job, and what was refused can be corrected and sent again.
func TestImportJob(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	const csv = "email,name,roles,color\n"
	file := csv + "new@example.org,New,staff,red\np0@example.org,Changed,staff,red\nno-address,,,\n" +
		"NEW@example.org,Twice,,\nroot@example.org,,portico:admin,\nother@example.org,cut off\n"
	by := d.by()
	draft := d.sends(by, flow.ImportOrder{Update: true}, file)
	want := []string{
		`line 4: email: "no-address": is not an email address`, `line 5: email: "NEW@example.org": is the address of an earlier line too`,
		"line 6: " + strings.TrimPrefix(strings.Replace(makesAdmin, "refused ", "", 1), ""), "line 7: has 2 values for 4 columns: the line may be cut off, or a comma lacks its quotes",
	}
	if p := draft.Plan; p.Created != 1 || p.Changed != 1 || p.Refused != 4 || p.Unknown["color"] != 5 || !slices.Equal(problems(draft), want) {
		t.Fatalf("the dry run finds %+v, %q", p, problems(draft))
	}
	if _, err := d.Operator.User(t.Context(), "new@example.org"); err == nil {
		t.Error("a dry run has made an account")
	}
	if _, err := d.Operator.StartImport(t.Context(), by, draft.ID, false); !errors.Is(err, flow.ImportBad) {
		t.Errorf("with bad lines: %v", err)
	}
	d.starts(by, draft.ID)
	if ended := d.ends(draft.ID); ended.State != job.Done || ended.Done != 6 || ended.Total != 6 || ended.Skips != 4 {
		t.Errorf("the job is %+v", ended)
	}
	done := d.shows(by, draft.ID)
	if done.Did.Created != 1 || done.Did.Changed != 1 || done.Did.Refused != 4 || !slices.Equal(problems(done), want) {
		t.Errorf("the import is %+v, %q", done.Did, problems(done))
	}
	if d.user("new@example.org").Name != "New" || d.user("p0@example.org").Name != "Changed" {
		t.Error("the people are not as in the file")
	}
	if got := d.rejected(by, draft.ID); got != csv+"no-address,,,\nNEW@example.org,Twice,,\nroot@example.org,,portico:admin,\nother@example.org,cut off\n" {
		t.Errorf("rejected:\n%s", got)
	}
	again := d.sends(by, flow.ImportOrder{Update: true}, file)
	d.starts(by, again.ID)
	d.ends(again.ID)
	if did := d.shows(by, again.ID).Did; did.Created+did.Changed > 0 || did.Unchanged != 2 {
		t.Errorf("a second run: %+v", did)
	}
	if _, err := d.Operator.ReadImport(t.Context(), by, again.ID, strings.NewReader(file)); !errors.Is(err, job.Begun) {
		t.Errorf("another file of a job that has begun: %v", err)
	}
}

// Nobody but the admin or the key that has sent a file sees anything of it.
func TestImportJob_OfOthers(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	_, key := d.key()
	mine := d.sends(d.by(), flow.ImportOrder{}, "{\"email\":\"secret\"}\n")
	keys := d.sends(key, flow.ImportOrder{}, "{\"email\":\"secret\"}\n")
	for id, by := range map[string]flow.Actor{mine.ID: key, keys.ID: d.by(), "no": key, keys.ID + " ": flow.ByOperator} {
		_, shown := d.Operator.ImportJob(t.Context(), by, id)
		_, started := d.Operator.StartImport(t.Context(), by, id, true)
		_, read := d.Operator.ReadImport(t.Context(), by, id, strings.NewReader(""))
		for _, err := range []error{shown, started, read, d.Operator.Rejected(t.Context(), by, id, io.Discard, nil)} {
			if !errors.Is(err, job.Missing) {
				t.Errorf("%v, want %v", err, job.Missing)
			}
		}
	}
	next := d.sends(key, flow.ImportOrder{}, "{\"email\":\"next@example.org\"}\n")
	if _, err := d.Operator.ImportJob(t.Context(), key, keys.ID); !errors.Is(err, job.Missing) {
		t.Errorf("the draft that was replaced: %v", err)
	}
	d.shows(d.by(), mine.ID)
	d.starts(key, next.ID)
	if _, err := d.Operator.StartImport(t.Context(), d.by(), mine.ID, true); !errors.Is(err, job.Busy) {
		t.Errorf("while the job of a key runs: %v", err)
	}
}

// A file that cannot be read says why, and starts nothing.
func TestImportJob_BadFile(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	draft, err := d.Operator.OpenImport(t.Context(), d.by(), flow.ImportOrder{})
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"":              "the file is empty",
		"what is this":  "the file is of no known kind",
		"\xff\xfee\x00": "UTF-16",
		`{"realm":"r","id":"1","users":[{"username":"a","email":"a@b.c"},`: "cut off",
		"email," + strings.Repeat("x", 64<<10) + "\na@b.c,\n":              "leave out columns",
		"users:\n  a: {email: a@b.c}\n#" + strings.Repeat("x", 5<<20):      "authelia",
	} {
		_, err := d.Operator.ReadImport(t.Context(), d.by(), draft.ID, strings.NewReader(file))
		if f := fault.From(err); len(f.Fields) != 1 || f.Fields[0].Name != "file" || !strings.Contains(f.Fields[0].Params["why"], want) {
			t.Errorf("%.40q: %+v", file, f)
		}
		if _, err := d.Operator.StartImport(t.Context(), d.by(), draft.ID, true); !errors.Is(err, flow.ImportUnread) {
			t.Errorf("%.40q starts: %v", file, err)
		}
	}
	for file, field := range map[string]string{`{"realm":"r","id":"1","users":[{"id":"7","email":"a@b.c"}]}`: "issuer", "email,issuer,subject\na@b.c,i,7\n": ""} {
		draft, err := d.Operator.OpenImport(t.Context(), d.by(), flow.ImportOrder{KeepSubject: true})
		if err == nil {
			_, err = d.Operator.ReadImport(t.Context(), d.by(), draft.ID, strings.NewReader(file))
		}
		if field == "" && err != nil || field != "" && (err == nil || len(fault.From(err).Fields) != 1 || fault.From(err).Fields[0].Name != field) {
			t.Errorf("%.40q without an issuer: %v", file, err)
		}
	}
	if _, err := d.Operator.OpenImport(t.Context(), d.by(), flow.ImportOrder{From: "excel"}); len(fault.From(err).Fields) != 1 {
		t.Errorf("of an unknown system: %v", err)
	}
}

// What is kept of a file is bounded: its lines, what each of them takes beside itself, and the first line in each part.
func TestImportJob_TooManyLines(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	draft, err := d.Operator.OpenImport(t.Context(), d.by(), flow.ImportOrder{})
	if err != nil {
		t.Fatal(err)
	}
	const part = 1_000_000 // makes a part, and stays below the limit without the first line
	file := []io.Reader{strings.NewReader("email," + strings.Repeat("x", 60_000) + "\n")}
	for range 4 * flow.MostFile / part {
		file = append(file, strings.NewReader(strings.Repeat("x", part)+"\n"))
	}
	_, err = d.Operator.ReadImport(t.Context(), d.by(), draft.ID, io.MultiReader(file...))
	if f := fault.From(err); len(f.Fields) != 1 || !strings.Contains(f.Fields[0].Params["why"], "too many lines") {
		t.Errorf("%+v", f)
	}
}

// spender is a store that spends the time of a request with each write.
type spender struct {
	flow.Store
	left []time.Duration // before each write

	reads      bool // they also spend it
	leftToRead []time.Duration
}

func (s *spender) Write(ctx context.Context, fn func(flow.Tx) error) error {
	s.left = append(s.left, budget.Of(ctx).Left(time.Second))
	budget.Of(ctx).Spend(time.Second)
	return s.Store.Write(ctx, fn)
}

func (s *spender) Read(ctx context.Context, fn func(flow.Tx) error) error {
	s.leftToRead = append(s.leftToRead, budget.Of(ctx).Left(time.Second))
	if s.reads {
		budget.Of(ctx).Spend(time.Second)
	}
	return s.Store.Read(ctx, fn)
}

// Earlier, all parts of a file waited for the database within the time of one.
func TestImportJob_TimeOfEachPart(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	by := d.by()
	draft, err := d.Operator.OpenImport(t.Context(), by, flow.ImportOrder{Update: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &spender{Store: d.store.Store}
	d.store.Store = s
	request := context.WithValue(t.Context(), budget.Key{}, new(budget.Budget))
	if _, err := d.Operator.ReadImport(request, by, draft.ID, strings.NewReader(arriving(60))); err != nil {
		t.Fatal(err)
	}
	if len(s.left) != 4 || slices.Min(s.left) != time.Second {
		t.Errorf("left before the writes: %v", s.left)
	}
}

// arriving is a file of people for several parts.
func arriving(count int) string {
	var file strings.Builder
	for i := range count {
		fmt.Fprintf(&file, "{\"email\":\"q%d@example.org\",\"email_verified\":true,\"name\":\"Q\"}\n", i)
	}
	return file.String() + "{}\n"
}

// An import that is killed at any of its transactions goes on, and takes everybody once.
func TestImportJob_Killed(t *testing.T) {
	t.Parallel()
	const count = 60
	for engine, open := range engines() {
		for at := 1; at <= 4; at++ {
			for _, after := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%d/%t", engine, at, after), func(t *testing.T) {
					t.Parallel()
					d := newDesk(t, open(t))
					by := d.by()
					draft := d.sends(by, flow.ImportOrder{Update: true}, arriving(count))
					d.starts(by, draft.ID)
					d.store.after = after
					d.store.left.Store(int64(at))
					ended := d.ends(draft.ID)
					did := d.shows(by, draft.ID).Did
					if ended.State != job.Done || ended.Done != count+1 || did.Created != count || did.Refused != 1 || did.Unchanged != 0 {
						t.Errorf("the job is %+v, and did %+v", ended, did)
					}
				})
			}
		}
	}
}

// A draft of which parts are gone does not start: another import that was about to replace it was killed, or it is a day old.
func TestImportJob_HalfDeleted(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	_, by := d.key()
	draft := d.sends(by, flow.ImportOrder{}, arriving(2))
	d.bundle.must(d.bundle.store.past(t.Context(), func(tx *store.Tx) error {
		for range 100 {
			if err := tx.InsertPart(t.Context(), job.Part{ID: ids.New(), JobID: draft.ID}); err != nil {
				return err
			}
		}
		return nil
	}))
	d.store.after = true
	d.store.left.Store(1)
	if _, err := d.Operator.OpenImport(t.Context(), by, flow.ImportOrder{}); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if _, err := d.Operator.StartImport(t.Context(), by, draft.ID, true); !errors.Is(err, flow.ImportUnread) {
		t.Errorf("the draft that was to be replaced: %v", err)
	}
	old := d.sends(by, flow.ImportOrder{}, arriving(2))
	d.clock.Advance(job.KeepDraft + time.Microsecond)
	if _, err := d.Operator.StartImport(t.Context(), by, old.ID, true); !errors.Is(err, job.Missing) {
		t.Errorf("the draft of yesterday: %v", err)
	}
}

// A start says what came before it.
func TestImportJob_StartedTooLate(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	by := d.by()
	for want, does := range map[error]func(id string){
		job.Replaced: func(id string) {
			_, err := d.Operator.ReadImport(t.Context(), by, id, strings.NewReader(arriving(1)))
			d.bundle.must(err)
		},
		job.Begun: func(id string) { d.starts(by, id); d.ends(id) },
	} {
		draft := d.sends(by, flow.ImportOrder{}, arriving(2))
		d.store.does = func() { does(draft.ID) }
		d.store.left.Store(1)
		if _, err := d.Operator.StartImport(t.Context(), by, draft.ID, true); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
}

// A transaction of an import writes a bounded number of events, however many webhooks want them when it comes.
func TestImportJob_WithWebhooks(t *testing.T) {
	t.Parallel()
	const hooks, people = 5, 60
	var cfg *flow.Config
	d := newDesk(t, sqlitetest.Open(t), func(c *flow.Config) { cfg = c })
	file := "{\"email\":\"bad\"}\n" + arriving(people) // the first line and the last one are bad
	changed := strings.ReplaceAll(file, `"Q"`, `"R","roles":["staff"],"state":"disabled"`)
	draft := d.sends(d.by(), flow.ImportOrder{}, file)
	var all []webhook.Hook
	for n := range hooks {
		all = append(all, webhook.Hook{Name: fmt.Sprint(n), Events: []string{webhook.Every}})
	}
	cfg.Events = webhook.NewQueue(all, cfg.Clock, webhook.NewRunner(webhook.RunnerConfig{}))
	d.All = flow.New(*cfg) // as a reload does
	for _, kinds := range []int{1, 3} {
		c := &counted{Store: d.store.Store}
		d.store.Store = c
		d.starts(d.by(), draft.ID)
		if ended := d.ends(draft.ID); ended.Done != people+2 || ended.Skips != 2 {
			t.Errorf("the job is %+v", ended)
		}
		if sum := c.sum(); sum != hooks*people*kinds || slices.Max(c.deliveries) > 200 {
			t.Errorf("%d events, by transaction %v", sum, c.deliveries)
		}
		draft = d.sends(d.by(), flow.ImportOrder{Update: true}, changed)
	}
}

// Whoever ceases to be an admin between two parts imports nobody more.
func TestImportJob_DemotedMeanwhile(t *testing.T) {
	t.Parallel()
	for _, asKey := range []bool{false, true} {
		d := newDesk(t, sqlitetest.Open(t))
		by, why := d.by(), "role"
		id := ""
		if asKey {
			id, by = d.key()
			why = "key"
		}
		draft := d.sends(by, flow.ImportOrder{Update: true}, arriving(60))
		d.starts(by, draft.ID)
		d.store.after = true
		d.store.left.Store(1)
		if err := d.Operator.WorkJobs(t.Context()); !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		err := error(nil)
		if asKey {
			err = d.Operator.EndAPIKey(t.Context(), flow.ByOperator, id, false)
		} else {
			err = d.Operator.SetUserRoles(t.Context(), flow.ByOperator, by.AccountID(), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		if ended := d.ends(draft.ID); ended.State != job.Failed || ended.Why != why || ended.Done != 5 {
			t.Errorf("the job is %+v", ended)
		}
		d.user("q4@example.org")
		if _, err := d.Operator.User(t.Context(), "q5@example.org"); err == nil {
			t.Error("somebody was imported after that")
		}
	}
}

// A person can change between the dry run and the job, which judges again.
func TestImportJob_JudgesAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sqlitetest.Open(t))
	by := d.by()
	draft := d.sends(by, flow.ImportOrder{Update: true}, "{\"email\":\"p0@example.org\",\"name\":\"Renamed\"}\n{\"email\":\"p1@example.org\",\"name\":\"Renamed\"}\n")
	if draft.Plan.Changed != 2 {
		t.Fatalf("%+v", draft.Plan)
	}
	if err := d.Operator.SetUserRoles(t.Context(), flow.ByOperator, d.people[0].ID, []string{flow.RoleAdmin}); err != nil {
		t.Fatal(err)
	}
	d.clock.Advance(time.Minute)
	d.starts(by, draft.ID)
	d.ends(draft.ID)
	if done := d.shows(by, draft.ID); done.Did.Changed != 1 || done.Did.Refused != 1 || d.user("p0@example.org").Name != "" {
		t.Errorf("the import did %+v", done.Did)
	}
}
