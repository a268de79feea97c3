package flow_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"portico/internal/account"
	"portico/internal/apikey"
	"portico/internal/audit"
	"portico/internal/budget"
	"portico/internal/flow"
	"portico/internal/once"
	"portico/internal/store"
)

// administers registers an admin, and makes a key of theirs with all scopes.
func (b *bundle) administers(life time.Duration) (owner string, k flow.APIKey, secret string) {
	b.Helper()
	v := b.visitor("192.0.2.1")
	v.register("mara@example.org")
	owner = v.found().User.ID
	if err := b.Operator.SetUserRoles(b.Context(), flow.ByOperator, owner, []string{flow.RoleAdmin}); err != nil {
		b.Fatal(err)
	}
	k, secret, err := b.Operator.MakeAPIKey(b.Context(), flow.ByOperator, owner, apikey.Ask{Name: "HR import", Scopes: apikey.Scopes(), EndsAt: b.clock.Now().Add(life)})
	if err != nil {
		b.Fatal(err)
	}
	b.mails(2) // about the role and the key
	return owner, k, secret
}

// warns does what the background work does, and returns the names of the keys that end soon.
func (b *bundle) warns() (names []string) {
	b.Helper()
	err := b.store.past(b.Context(), func(tx *store.Tx) error {
		told, more, err := b.Operator.WarnOfKeys(b.Context(), tx)
		if more {
			b.Error("there should be more")
		}
		for _, k := range told {
			names = append(names, k.Name)
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return names
}

// The owner of a key is told once that it ends, and again after a renewal. Of a key with a short life
// the email about its making told.
func TestWarnOfKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, k, _ := b.administers(apikey.DefaultLife)
	if _, _, err := b.Operator.MakeAPIKey(t.Context(), flow.ByOperator, owner, apikey.Ask{Name: "short", Scopes: []string{"people:read"}, EndsAt: b.clock.Now().Add(apikey.WarnBefore)}); err != nil {
		t.Fatal(err)
	}
	b.mails(1)
	for range 2 {
		b.clock.Advance(apikey.DefaultLife - apikey.WarnBefore - time.Second)
		if early := b.warns(); early != nil {
			t.Errorf("%q are told too early", early)
		}
		b.clock.Advance(time.Second)
		if told := b.warns(); !slices.Equal(told, []string{"HR import"}) {
			t.Errorf("%q are told, want the key", told)
		}
		m := b.next()
		if m.Template != "key-ends" || m.To != "mara@example.org" || m.Data["key"] != "HR import" || m.Data["ends_at"] == "" {
			t.Errorf("the email is %+v", m)
		}
		if again := b.warns(); again != nil {
			t.Errorf("%q are told again", again)
		}
		if _, _, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, owner, k.ID, time.Time{}); err != nil {
			t.Fatal(err)
		}
		b.mails(1)
	}
}

// An admin answers for so many keys at most, because all of them end in one transaction. Their rotation works on.
func TestMakeAPIKey_Most(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, k, _ := b.administers(apikey.DefaultLife)
	makes := func() error {
		_, _, err := b.Operator.MakeAPIKey(t.Context(), flow.ByOperator, owner, apikey.Ask{Name: "short", Scopes: []string{"people:read"}, EndsAt: b.clock.Now().Add(time.Hour)})
		return err
	}
	for range apikey.MostKeys - 1 {
		b.must(makes())
	}
	for range 3 {
		_, _, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, owner, k.ID, time.Time{})
		b.must(err)
	}
	if err := makes(); !errors.Is(err, apikey.Full) {
		t.Errorf("one more key: %v", err)
	}
	b.must(b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, false))
	b.must(makes())
	b.clock.Advance(time.Hour)
	b.must(makes())
}

// The newest secret stays, also if the clock of the node that made it is behind.
func TestEndAPIKey_OldSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, k, old := b.administers(apikey.DefaultLife)
	b.clock.Advance(-10 * time.Second)
	_, young, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, owner, k.ID, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, true); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Operator.ByKey(t.Context(), flow.Caller{}, young); err != nil {
		t.Errorf("the new secret: %v", err)
	}
	if _, err := b.Operator.ByKey(t.Context(), flow.Caller{}, old); !errors.Is(err, apikey.Unknown) {
		t.Errorf("the old secret: %v", err)
	}
}

// The end of an old secret is recorded of the admin who has answered for it, also by a second rotation.
func TestAPIKey_RecordsTheEndOfTheOldSecret(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first, k, _ := b.administers(apikey.DefaultLife)
	b.admin("ada@example.org", "192.0.2.9")
	second := b.user("ada@example.org").ID
	rotates := func(owner string) {
		_, _, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, owner, k.ID, time.Time{})
		b.must(err)
	}
	ended := func(owner string) {
		t.Helper()
		if ended := b.record(audit.APIKeyEnded); ended.AccountID != owner || ended.Detail != k.ID+",old_secret" {
			t.Errorf("the end is recorded as %+v", ended)
		}
	}
	rotates(second)
	rotates(first)
	ended(first)
	b.must(b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, true))
	ended(second)
}

// The database notes the use of a key once a minute.
func TestEnter_NotesTheUse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, k, secret := b.administers(apikey.DefaultLife)
	used := func(from string) flow.APIKey {
		t.Helper()
		by, err := b.Operator.ByKey(t.Context(), flow.Caller{Peer: from}, secret)
		if err == nil {
			_, err = b.Operator.Enter(t.Context(), by)
		}
		now, readErr := b.Operator.APIKey(t.Context(), k.ID)
		if err := errors.Join(err, readErr); err != nil {
			t.Fatal(err)
		}
		return now
	}
	first := b.clock.Now()
	if now := used("192.0.2.7/32"); now.UsedAt != first || now.Peer != "192.0.2.7/32" {
		t.Errorf("the first use is noted as %v from %s", now.UsedAt, now.Peer)
	}
	b.clock.Advance(59 * time.Second)
	if now := used("192.0.2.8/32"); now.UsedAt != first {
		t.Errorf("a use within the minute is noted as %v", now.UsedAt)
	}
	b.clock.Advance(time.Second)
	if now := used("192.0.2.8/32"); now.UsedAt == first || now.Peer != "192.0.2.8/32" {
		t.Errorf("a use a minute later is noted as %v from %s", now.UsedAt, now.Peer)
	}
	b.clock.Advance(-time.Hour)
	if now := used("192.0.2.9/32"); now.UsedAt != b.clock.Now() {
		t.Errorf("after the clock was set back, a use is noted as %v", now.UsedAt)
	}
}

// A process ends before it answers. The row says whether the change was made.
func TestOnce_AfterAKill(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, _, secret := b.administers(apikey.DefaultLife)
	user, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "noor@example.org", "", "")
	if err != nil || owner == "" {
		t.Fatal(err)
	}
	by, err := b.Operator.ByKey(t.Context(), flow.Caller{}, secret)
	if err != nil {
		t.Fatal(err)
	}
	begin := func(key string) (flow.Actor, error) {
		claimed, answer, err := b.Operator.Once(t.Context(), by, key, []byte("asked"))
		if answer != "" {
			t.Errorf("the answer is %s", answer)
		}
		return claimed, err
	}
	before, err := begin("before")
	if err != nil {
		t.Fatal(err)
	}
	after, err := begin("after")
	if err == nil {
		_, err = b.Operator.MailLink(t.Context(), after, user.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]error{"before": once.Running, "after": once.Running} {
		if _, err := begin(key); !errors.Is(err, want) {
			t.Errorf("%s, at once: %v, want %v", key, err, want)
		}
	}
	b.clock.Advance(once.Stale)
	if _, err := begin("after"); !errors.Is(err, once.Lost) {
		t.Errorf("after the change: %v, want that the answer is lost", err)
	}
	second, err := begin("before")
	if err != nil {
		t.Fatalf("before the change: %v, want another attempt", err)
	}
	// The first attempt was only frozen. It comes too late.
	if _, err := b.Operator.MailLink(t.Context(), before, user.ID); !errors.Is(err, once.Running) {
		t.Errorf("an attempt that was taken over: %v", err)
	}
	if _, err := b.Operator.MailLink(t.Context(), second, user.ID); err != nil {
		t.Errorf("the second attempt: %v", err)
	}
	if made := slices.DeleteFunc(b.store.facts.all(), func(f audit.Fact) bool { return f.Name != audit.LinkMade }); len(made) != 2 {
		t.Errorf("%d links were made, want 2", len(made))
	}
}

// Whoever sent a request has gone before the end of it, and sends it again at once.
func TestOnce_AfterABrokenConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, _, secret := b.administers(apikey.DefaultLife)
	user, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "noor@example.org", "", "")
	b.must(err)
	by, err := b.Operator.ByKey(t.Context(), flow.Caller{}, secret)
	b.must(err)
	var spent budget.Budget
	spent.Spend(time.Hour)
	gone, cancel := context.WithCancel(context.WithValue(t.Context(), budget.Key{}, &spent))
	cancel()
	before, _, err := b.Operator.Once(t.Context(), by, "key", []byte("asked"))
	b.must(err)
	b.must(b.Operator.Refused(gone, before))
	after, _, err := b.Operator.Once(t.Context(), by, "key", []byte("asked"))
	b.must(err)
	_, err = b.Operator.MailLink(t.Context(), after, user.ID)
	b.must(err)
	b.must(b.Operator.Answered(gone, after, `{"until":"tomorrow"}`))
	if _, answer, err := b.Operator.Once(t.Context(), by, "key", []byte("asked")); err != nil || answer != `{"until":"tomorrow"}` {
		t.Errorf("the request that is sent again gets %q, %v", answer, err)
	}
	if left := spent.Left(time.Second); left < 500*time.Millisecond {
		t.Errorf("what follows the request has %v", left)
	}
}

// The record of a key has its name, also after its end. So do the story of its owner and an export.
func TestKnown_NamesKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, k, text := b.administers(apikey.DefaultLife)
	if _, _, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, owner, k.ID, time.Time{}); err != nil {
		t.Fatal(err)
	}
	b.mails(1)
	by, err := b.Operator.ByKey(t.Context(), flow.Caller{}, text)
	if err != nil {
		t.Fatal(err)
	}
	kim, err := b.Operator.CreateUser(t.Context(), flow.ByOperator, "kim@example.org", "", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		b.Operator.SetUserState(t.Context(), by, kim.ID, account.DisabledByOperator),
		b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, true),
		b.Operator.EndAPIKey(t.Context(), flow.ByOperator, k.ID, false),
	); err != nil {
		t.Fatal(err)
	}
	page, err := b.Operator.Record(t.Context(), audit.Query{Limit: 20})
	if err != nil {
		t.Fatal(err)
	}
	known, err := b.Operator.Known(t.Context(), page.Facts)
	var got []string
	for _, fact := range page.Facts {
		if strings.HasPrefix(string(fact.Name), "api_key_") {
			got = append(got, string(fact.Name)+" "+known.DetailOf(fact))
		}
	}
	slices.Sort(got)
	if want := []string{"api_key_ended HR import", "api_key_ended HR import, old_secret", "api_key_made HR import", "api_key_rotated HR import"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("the record has %q, %v", got, err)
	}
	_, story := b.story("mara@example.org")
	if want := "event api_key_ended: by operator, detail HR import, old_secret"; !strings.Contains(story, want) {
		t.Errorf("missing: %s\n%s", want, story)
	}
	for format, want := range map[audit.Format]string{
		audit.CSV: ",key:" + k.ID + ",,,,,The account was disabled,HR import,\n", audit.JSONLines: `"about":"HR import, old_secret"`,
	} {
		var out strings.Builder
		if err := b.Operator.ExportRecord(t.Context(), flow.ByOperator, audit.Query{}, audit.NewWriter(&out, format)); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("missing: %s (%v)\n%s", want, err, out.String())
		}
	}
}

// formerKeys finds keys as they were before another node has changed their ends.
type formerKeys struct {
	flow.Tx
	found []apikey.Key
}

func (t formerKeys) EndingAPIKeys(context.Context, time.Time, time.Time, int) ([]apikey.Key, error) {
	return t.found, nil
}

// An admin gives a key another end at the moment when its owner is told of the former one.
func TestWarnOfKeys_AnotherEndMeanwhile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	owner, k, _ := b.administers(apikey.DefaultLife)
	b.clock.Advance(apikey.DefaultLife - apikey.WarnBefore)
	tomorrow := b.clock.Now().Add(24 * time.Hour)
	if _, _, err := b.Operator.RotateAPIKey(t.Context(), flow.ByOperator, owner, k.ID, tomorrow); err != nil {
		t.Fatal(err)
	}
	err := b.store.Write(t.Context(), func(tx flow.Tx) error {
		told, _, err := b.Operator.WarnOfKeys(t.Context(), formerKeys{tx, []apikey.Key{k.Key}})
		if len(told) != 0 {
			t.Errorf("told of %+v", told)
		}
		return err
	})
	if now, readErr := b.Operator.APIKey(t.Context(), k.ID); err != nil || readErr != nil || !now.EndsAt.Equal(tomorrow) {
		t.Errorf("the key ends at %v, want %v (%v, %v)", now.EndsAt, tomorrow, err, readErr)
	}
}
