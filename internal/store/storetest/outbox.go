package storetest

import (
	"sync"
	"time"

	"portico/internal/outbox"
	"portico/internal/store"
)

type outboxes struct{ *bundle }

func (b outboxes) InsertMessage_EveryField() {
	dead := b.message(full[outbox.Record](1))
	b.equal("the dead message", b.dead(9), []outbox.Record{dead})
	alive := full[outbox.Record](2)
	alive.DeadAt, alive.NotAfter, alive.Lane = time.Time{}, time.Time{}, outbox.Mail
	b.message(alive)
	b.equal("the message that is claimed", b.claim(alive.DueAt, moment(), 9), []outbox.Record{claimed(alive, moment())})
}

func (b outboxes) ClaimMessages_DueAndAlive() {
	now, until := moment(), moment().Add(time.Minute)
	due := b.message(waiting("due", now))
	b.message(waiting("later", now.Add(time.Microsecond)))
	dead := waiting("dead", now)
	dead.DeadAt = now
	b.message(dead)
	b.equal("what is claimed", b.claim(now, until, 9), []outbox.Record{claimed(due, until)})
	b.equal("what is claimed again", b.claim(now, until, 9), []outbox.Record(nil))
	first := b.claim(until, until.Add(time.Minute), 1)
	b.equal("what was due first, once the lease is over", first[0].ID, "later")
}

func (b outboxes) ClaimMessages_LongestDueFirst() {
	now := moment()
	for age, id := range []string{"c", "a", "b"} {
		b.message(waiting(id, now.Add(-time.Duration(age)*time.Second)))
	}
	for _, want := range []string{"b", "a", "c"} {
		got := b.claim(now, now.Add(time.Minute), 1)
		if len(got) != 1 || got[0].ID != want {
			b.Errorf("claimed %v, want %s alone", got, want)
		}
	}
}

func (b outboxes) ClaimMessages_EachByOneOfMany() {
	now := moment()
	for number := range 2 * workers {
		b.message(waiting(string(rune('a'+number)), now))
	}
	var mu sync.Mutex
	times := map[string]int{}
	b.race(func(tx *store.Tx, _ int) (bool, error) {
		got, err := tx.ClaimMessages(b.Context(), outbox.Mail, now, now.Add(time.Minute), 3)
		mu.Lock()
		defer mu.Unlock()
		for _, r := range got {
			times[r.ID]++
		}
		return true, err
	})
	for id, n := range times {
		if n != 1 {
			b.Errorf("message %s was claimed %d times", id, n)
		}
	}
	if len(times) != 2*workers {
		b.Errorf("%d messages were claimed, want %d", len(times), 2*workers)
	}
}

func (b outboxes) ClaimMessages_OfTheLane() {
	now := moment()
	lanes := map[outbox.Lane]string{outbox.Mail: "mail", outbox.Awaited: "awaited", outbox.Logouts: "logout", outbox.GuestLogouts: "guest"}
	for lane, id := range lanes {
		m := waiting(id, now)
		m.Lane = lane
		b.message(m)
	}
	for lane, want := range lanes {
		got := result(b.bundle, func(tx *store.Tx) ([]outbox.Record, error) {
			return tx.ClaimMessages(b.Context(), lane, now, now.Add(time.Minute), 9)
		})
		if len(got) != 1 || got[0].ID != want {
			b.Errorf("lane %d: claimed %v", lane, got)
		}
	}
}

func (b outboxes) ClaimMessages_OfNoBusyClient() {
	now := moment()
	for _, client := range []string{"busy", "free", "also busy"} {
		m := waiting(client, now)
		m.Lane, m.ClientID = outbox.Logouts, client
		b.message(m)
	}
	got := result(b.bundle, func(tx *store.Tx) ([]outbox.Record, error) {
		return tx.ClaimMessages(b.Context(), outbox.Logouts, now, now.Add(time.Minute), 9, "also busy", "busy")
	})
	if len(got) != 1 || got[0].ClientID != "free" {
		b.Errorf("claimed %v", got)
	}
}

func (b outboxes) HastenMessages_BeyondTheHorizon() {
	now, horizon := moment(), moment().Add(time.Hour)
	for _, id := range []string{"far", "far too"} {
		far := waiting(id, horizon.Add(time.Microsecond))
		far.Failures = 9
		b.message(far)
	}
	b.message(waiting("near", horizon))
	other := waiting("of another lane", horizon.Add(time.Microsecond))
	other.Lane = outbox.Awaited
	b.message(other)
	dead := b.message(full[outbox.Record](1))
	hasten := func() int64 {
		return result(b.bundle, func(tx *store.Tx) (int64, error) {
			return tx.HastenMessages(b.Context(), outbox.Mail, now, horizon, 1)
		})
	}
	b.equal("the numbers", []int64{hasten(), hasten(), hasten()}, []int64{1, 1, 0})
	if got := b.claim(now, now, 9); len(got) != 2 || got[0].Failures+got[1].Failures != 0 {
		b.Errorf("claimed %v, want the two beyond the horizon", got)
	}
	b.equal("the dead messages", b.dead(9), []outbox.Record{dead})
}

func (b outboxes) SettleMessage_ByTheLastClaim() {
	now := moment()
	b.message(waiting("m", now))
	b.message(waiting("other", now.Add(time.Hour)))
	first := b.claim(now, now, 9)[0]
	second := b.claim(now, now.Add(time.Minute), 9)[0]
	first.Reason = "late"
	if b.settle(first) {
		b.Error("the outcome of a claim counted that was not the last")
	}
	second.DueAt, second.DeadAt, second.Failures, second.Uncertain, second.Reason = now.Add(time.Hour), now, 7, 8, "refused"
	if !b.settle(second) {
		b.Error("the outcome of the last claim did not count")
	}
	b.equal("the dead messages", b.dead(9), []outbox.Record{second})
}

func (b outboxes) DeleteMessage_ThatOneOnly() {
	kept := b.message(waiting("kept", moment()))
	b.message(waiting("m", moment()))
	for range 2 { // the second time there is nothing to delete
		b.write(func(tx *store.Tx) error { return tx.DeleteMessage(b.Context(), "m") })
	}
	b.equal("what is left", b.claim(moment(), moment(), 9), []outbox.Record{claimed(kept, moment())})
}

func (b outboxes) DeadMessages_NewestFirst() {
	var dead [3]outbox.Record
	for n := range dead {
		dead[n] = b.message(full[outbox.Record](n + 1))
	}
	b.message(waiting("alive", moment()))
	b.equal("the dead messages", b.dead(2), []outbox.Record{dead[2], dead[1]})
}

func (b outboxes) Message_ByID() {
	dead, alive := b.message(full[outbox.Record](1)), b.message(waiting("alive", moment()))
	for id, want := range map[string]outbox.Record{dead.ID: dead, "alive": alive, "no": {}} {
		got, found := find(b.bundle, func(tx *store.Tx) (outbox.Record, bool, error) { return tx.Message(b.Context(), id) })
		b.equal("the message", got, want)
		b.equal("whether it is there", found, id != "no")
	}
}

func (b outboxes) WaitingMessages_FirstDueFirst() {
	later, first := b.message(waiting("a later one", moment().Add(time.Hour))), b.message(waiting("the first", moment()))
	b.message(full[outbox.Record](1)) // dead
	list := func(limit int) []outbox.Record {
		return list(b.bundle, func(tx *store.Tx) ([]outbox.Record, error) { return tx.WaitingMessages(b.Context(), limit) })
	}
	b.equal("all that wait", list(9), []outbox.Record{first, later})
	b.equal("the first that waits", list(1), []outbox.Record{first})
}

func (b outboxes) ReviveMessages_DeadAndNotTooLate() {
	now := moment()
	endless, late := full[outbox.Record](1), full[outbox.Record](2)
	endless.NotAfter, endless.Lane, late.NotAfter = time.Time{}, outbox.Mail, now
	b.message(waiting("alive", now.Add(time.Hour)))
	b.message(endless)
	b.message(late)
	for id, want := range map[string]bool{endless.ID: true, late.ID: false, "alive": false, "no": false} {
		if b.did(func(tx *store.Tx) (bool, error) {
			revived, err := tx.ReviveMessages(b.Context(), id, now, 9)
			return len(revived) > 0, err
		}) != want {
			b.Errorf("%.8s revived, want %v", id, want)
		}
	}
	endless.DueAt, endless.DeadAt, endless.Failures, endless.Uncertain = now, time.Time{}, 0, 0
	b.equal("what is due", b.claim(now, now, 9), []outbox.Record{claimed(endless, now)})
}

func (b outboxes) ReviveMessages_All() {
	now := moment().Add(time.Second)
	for n := range 4 {
		r := full[outbox.Record](n + 1)
		r.NotAfter, r.Lane = time.Time{}, outbox.Mail
		switch n {
		case 2:
			r.NotAfter = now
		case 3:
			r.DeadAt = now
		}
		b.message(r)
	}
	b.message(waiting("alive", now.Add(time.Hour)))
	revive := func() int {
		return len(result(b.bundle, func(tx *store.Tx) ([]outbox.Record, error) { return tx.ReviveMessages(b.Context(), "", now, 1) }))
	}
	b.equal("the numbers", []int{revive(), revive(), revive()}, []int{1, 1, 0})
	b.equal("the state", b.counts(), outbox.Count{Waiting: 3, Dead: 2, Oldest: moment()})
}

func (b outboxes) Purge_DeadMessages() {
	old, young := full[outbox.Record](1), full[outbox.Record](2)
	old.DeadAt, young.DeadAt = moment().Add(-outbox.KeepDead-time.Microsecond), moment().Add(-outbox.KeepDead)
	b.message(old)
	b.message(young)
	b.message(waiting("alive", moment()))
	b.purge()
	b.equal("the dead messages", b.dead(9), []outbox.Record{young})
	b.equal("the state", b.counts(), outbox.Count{Waiting: 1, Dead: 1, Oldest: moment()})
}

func (b outboxes) CountMessages_OfEachLane() {
	b.equal("the state of nothing", b.counts(), outbox.Count{})
	old, young, logout := waiting("old", moment()), waiting("young", moment()), waiting("logout", moment())
	young.CreatedAt, young.Lane = moment().Add(time.Second), outbox.Awaited
	logout.CreatedAt, logout.Lane = moment().Add(-time.Second), outbox.Logouts
	dead := full[outbox.Record](1)
	dead.Lane = outbox.Logouts
	for _, m := range []outbox.Record{young, old, logout, dead} {
		b.message(m)
	}
	counts, _ := find(b.bundle, func(tx *store.Tx) (outbox.Counts, bool, error) {
		c, err := tx.CountMessages(b.Context())
		return c, true, err
	})
	b.equal("the lanes", counts, outbox.Counts{
		outbox.Mail: {Waiting: 1, Oldest: moment()}, outbox.Awaited: {Waiting: 1, Oldest: young.CreatedAt},
		outbox.Logouts: {Waiting: 1, Dead: 1, Oldest: logout.CreatedAt},
	})
	b.equal("the emails", counts.Of(outbox.Emails...), outbox.Count{Waiting: 2, Oldest: moment()})
	b.equal("all", b.counts(), outbox.Count{Waiting: 3, Dead: 1, Oldest: logout.CreatedAt})
	b.equal("the emails that wait", len(list(b.bundle, func(tx *store.Tx) ([]outbox.Record, error) {
		return tx.WaitingMessages(b.Context(), 9, outbox.Emails...)
	})), 2)
}

// waiting is a message before its first delivery attempt.
func waiting(id string, due time.Time) outbox.Record {
	return outbox.Record{ID: id, Payload: []byte{1}, CreatedAt: moment(), DueAt: due}
}

// claimed is the record after a claim.
func claimed(r outbox.Record, until time.Time) outbox.Record {
	r.DueAt = until
	r.Claims++
	r.Uncertain++
	return r
}

func (b *bundle) message(r outbox.Record) outbox.Record {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.InsertMessage(b.Context(), r) })
	return r
}

func (b *bundle) claim(now, until time.Time, limit int) []outbox.Record {
	b.Helper()
	return result(b, func(tx *store.Tx) ([]outbox.Record, error) {
		return tx.ClaimMessages(b.Context(), outbox.Mail, now, until, limit)
	})
}

func (b *bundle) settle(r outbox.Record) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.SettleMessage(b.Context(), r) })
}

func (b *bundle) dead(limit int) []outbox.Record {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]outbox.Record, error) { return tx.DeadMessages(b.Context(), limit) })
}

func (b *bundle) counts() outbox.Count {
	b.Helper()
	c, _ := find(b, func(tx *store.Tx) (outbox.Count, bool, error) {
		c, err := tx.CountMessages(b.Context())
		return c.Of(), true, err
	})
	return c
}
