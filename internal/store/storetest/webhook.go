package storetest

import (
	"fmt"
	"sync"
	"time"

	"portico/internal/store"
	"portico/internal/webhook"
)

type webhooks struct{ *bundle }

// event adds a delivery, due at the moment.
func (b webhooks) event(id, hook, accountID string) webhook.Delivery {
	b.Helper()
	d := webhook.Delivery{ID: id, Webhook: hook, Event: webhook.Event{AccountID: accountID, Type: "t", Change: "c", Actor: "self", At: moment()}, DueAt: moment(), Until: moment().Add(time.Hour)}
	b.write(func(tx *store.Tx) error { return tx.InsertDelivery(b.Context(), d) })
	return d
}

func (b webhooks) claims(hook string, now time.Time) (ids []string) {
	b.Helper()
	for _, d := range b.claimed(hook, now) {
		ids = append(ids, d.ID)
	}
	return ids
}

func (b webhooks) claimed(hook string, now time.Time) []webhook.Delivery {
	b.Helper()
	return result(b.bundle, func(tx *store.Tx) ([]webhook.Delivery, error) {
		return tx.ClaimDeliveries(b.Context(), hook, now, now.Add(time.Minute), 9)
	})
}

func (b webhooks) all(hook string) []webhook.Delivery {
	b.Helper()
	return list(b.bundle, func(tx *store.Tx) ([]webhook.Delivery, error) { return tx.Deliveries(b.Context(), hook, "", 99) })
}

func (b webhooks) end(d webhook.Delivery, state webhook.State) bool {
	b.Helper()
	d.State, d.EndedAt = state, moment().Add(time.Second)
	return b.did(func(tx *store.Tx) (bool, error) { return tx.EndDelivery(b.Context(), d) })
}

func (b webhooks) InsertDelivery_EveryField() {
	d := full[webhook.Delivery](1)
	b.write(func(tx *store.Tx) error { return tx.InsertDelivery(b.Context(), d) })
	d.Seq, d.State, d.Claims, d.Failures, d.Status, d.Answer, d.TriedAt, d.EndedAt = 1, webhook.Waiting, 0, 0, 0, "", time.Time{}, time.Time{}
	b.equal("the delivery", b.all(d.Webhook), []webhook.Delivery{d})
}

// Only the first event of an account goes out; those of other accounts and webhooks do not wait for it.
func (b webhooks) ClaimDeliveries_InOrderOfEachAccount() {
	for _, e := range [][3]string{{"1", "h", "mara"}, {"2", "h", "mara"}, {"3", "h", "noor"}, {"4", "other", "mara"}, {"5", "h", "mara"}} {
		b.event(e[0], e[1], e[2])
	}
	first := b.claimed("h", moment())
	if len(first) != 2 || first[0].ID+first[1].ID != "13" && first[0].ID+first[1].ID != "31" {
		b.Fatalf("claimed %v", first)
	}
	b.equal("what the other webhook gets", b.claims("other", moment()), []string{"4"})
	for n, want := range []string{"2", "5", ""} {
		for _, d := range b.all("h") {
			if d.AccountID == "mara" && d.State == webhook.Waiting {
				b.end(d, []webhook.State{webhook.Delivered, webhook.Dropped, webhook.Delivered}[n])
			}
		}
		if got := fmt.Sprint(b.claims("h", moment().Add(2*time.Second))); got != fmt.Sprint([]string{want}) && want != "" {
			b.Errorf("after %d ends: claimed %s, want %s", n+1, got, want)
		}
	}
}

func (b webhooks) ClaimDeliveries_EachByOneOfMany() {
	for n := range 2 * workers {
		b.event(fmt.Sprint(n), "h", fmt.Sprint(n))
	}
	var mu sync.Mutex
	times := map[string]int{}
	b.race(func(tx *store.Tx, _ int) (bool, error) {
		got, err := tx.ClaimDeliveries(b.Context(), "h", moment(), moment().Add(time.Minute), 3)
		mu.Lock()
		defer mu.Unlock()
		for _, d := range got {
			times[d.ID]++
		}
		return true, err
	})
	for id, n := range times {
		if n != 1 {
			b.Errorf("%s was claimed %d times", id, n)
		}
	}
}

// Events that come while the one before ends are never left behind.
func (b webhooks) EndDelivery_RacesNewEvents() {
	b.event("first", "h", "mara")
	claimed := b.claimed("h", moment())[0]
	b.race(func(tx *store.Tx, worker int) (bool, error) {
		if worker == 7 {
			claimed.State, claimed.EndedAt = webhook.Delivered, moment().Add(time.Second)
			return tx.EndDelivery(b.Context(), claimed)
		}
		d := webhook.Delivery{ID: fmt.Sprint(worker), Webhook: "h", Event: webhook.Event{AccountID: "mara", At: moment()}, DueAt: moment()}
		return true, tx.InsertDelivery(b.Context(), d)
	})
	for left := workers - 1; left > 0; left-- {
		next := b.claimed("h", moment().Add(time.Hour))
		if len(next) == 0 {
			b.Fatalf("%d events are left behind: %+v", left, b.all("h"))
		}
		for i, d := range next {
			left -= min(i, 1) // several were first at once
			b.end(d, webhook.Delivered)
		}
	}
}

func (b webhooks) EndDelivery_ByItsClaim() {
	b.event("d", "h", "mara")
	first := b.claimed("h", moment())[0]
	second := b.claimed("h", moment().Add(time.Hour))[0]
	if b.end(first, webhook.Dropped) {
		b.Error("a drop of an earlier claim counts")
	}
	if !b.end(first, webhook.Delivered) || b.end(second, webhook.Dropped) {
		b.Error("it was delivered, and is sent again")
	}
}

func (b webhooks) PostponeDelivery_ByItsClaim() {
	b.event("d", "h", "mara")
	d := b.claimed("h", moment())[0]
	d.DueAt, d.Failures, d.Status, d.Answer, d.TriedAt = moment().Add(time.Hour), 3, 503, "busy", moment()
	b.write(func(tx *store.Tx) error { return tx.PostponeDelivery(b.Context(), d) })
	b.equal("the delivery", b.all("h"), []webhook.Delivery{d})
	late := d
	late.Claims, late.Answer = 0, "late"
	b.write(func(tx *store.Tx) error { return tx.PostponeDelivery(b.Context(), late) })
	b.equal("after a late outcome", b.all("h"), []webhook.Delivery{d})
	b.equal("what is claimed before", b.claims("h", moment().Add(time.Minute)), []string(nil))
}

func (b webhooks) HastenDeliveries_BeyondTheHorizon() {
	for _, id := range []string{"1", "2", "3"} {
		d := b.event(id, "h", id)
		d.DueAt = moment().Add(100 * time.Hour)
		b.write(func(tx *store.Tx) error { return tx.PostponeDelivery(b.Context(), d) })
	}
	b.write(func(tx *store.Tx) error {
		return tx.HastenDeliveries(b.Context(), "h", moment(), moment().Add(time.Hour), 2)
	})
	b.equal("how many are claimed", len(b.claims("h", moment())), 2)
}

func (b webhooks) RetryDeliveries_BehindTheOthers() {
	b.event("1", "h", "mara")
	b.event("2", "h", "mara")
	b.end(b.claimed("h", moment())[0], webhook.Dropped)
	at := moment().Add(time.Second) // of the drop
	before := at.Add(time.Second)
	retry := func(id string) int {
		return result(b.bundle, func(tx *store.Tx) (int, error) {
			return tx.RetryDeliveries(b.Context(), "h", id, before, moment(), moment().Add(time.Hour), 10)
		})
	}
	b.equal("how many", []int{retry("2"), retry(""), retry("1")}, []int{0, 1, 0})
	two := b.claimed("h", moment().Add(time.Minute))
	if len(two) != 1 || two[0].ID != "2" {
		b.Fatalf("claimed %+v", two)
	}
	b.end(two[0], webhook.Delivered)
	one := b.claimed("h", moment().Add(time.Minute))
	if len(one) != 1 || one[0].ID != "1" {
		b.Fatalf("claimed %+v", one)
	}
	b.equal("a delivered one", retry("2"), 1)
	b.end(one[0], webhook.Dropped)
	before = at
	b.equal("one that was dropped again", retry(""), 0)
	before = at.Add(time.Second)
	b.equal("later", retry(""), 1)
	b.end(b.claimed("h", moment().Add(time.Minute))[0], webhook.Dropped)
	before = time.Time{}
	b.equal("without a time", retry(""), 1)
}

func (b webhooks) Deliveries_Pages() {
	for _, id := range []string{"1", "2", "4"} {
		b.event(id, "h", "mara")
	}
	gone := webhook.Delivery{ID: "3", Event: webhook.Event{At: moment()}} // with its account, since the page before
	page := list(b.bundle, func(tx *store.Tx) ([]webhook.Delivery, error) {
		return tx.Deliveries(b.Context(), "h", gone.Place(), 1)
	})
	if len(page) != 1 || page[0].ID != "2" {
		b.Errorf("after 3: %+v", page)
	}
	b.fails("a place of another list", func(tx *store.Tx) error {
		_, err := tx.Deliveries(b.Context(), "h", "msg_4", 1)
		return err
	})
}

func (b webhooks) CountDeliveries_NotEnded() {
	b.event("1", "h", "mara")
	b.event("2", "h", "mara")
	most := 10
	count := func() webhook.Counts {
		c, _ := find(b.bundle, func(tx *store.Tx) (webhook.Counts, bool, error) {
			c, err := tx.CountDeliveries(b.Context(), "h", most)
			return c, true, err
		})
		return c
	}
	b.equal("the counts", count(), webhook.Counts{Waiting: 2, Oldest: moment()})
	failed := b.claimed("h", moment())[0]
	failed.Failures, failed.TriedAt, failed.DueAt = 1, moment(), moment()
	b.write(func(tx *store.Tx) error { return tx.PostponeDelivery(b.Context(), failed) })
	b.equal("after a failure", count(), webhook.Counts{Waiting: 2, Oldest: moment(), Failing: moment()})
	b.end(b.claimed("h", moment())[0], webhook.Delivered)
	b.equal("after an end", count(), webhook.Counts{Waiting: 1, Oldest: moment()})
	b.event("3", "h", "mara")
	b.equal("after another event", count().Waiting, 2)
	most = 1
	b.equal("up to one", count().Waiting, 1)
}

func (b webhooks) ForgetDeliveries_OfNoWebhook() {
	b.event("1", "gone", "mara")
	b.event("2", "h", "mara")
	forget := func(before time.Time) int64 {
		return result(b.bundle, func(tx *store.Tx) (int64, error) {
			return tx.ForgetDeliveries(b.Context(), []string{"h", "other"}, before, 10)
		})
	}
	b.equal("young ones", forget(moment()), int64(0))
	b.equal("old ones", forget(moment().Add(time.Second)), int64(1))
	b.equal("what stays", len(b.all("h"))+len(b.all("gone")), 1)
}

// What apps have answered goes with the account; what they must still learn stays.
func (b webhooks) DeleteAccount_Answers() {
	a := b.person(1)
	b.event("1", "h", a.ID)
	b.event("2", "h", a.ID)
	b.end(b.claimed("h", moment())[0], webhook.Delivered)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), a.ID) })
	b.equal("what is sent", b.claims("h", moment().Add(time.Minute)), []string{"2"})
	b.equal("what stays", len(b.all("h")), 1)
}

func (b webhooks) Rewind_HoldsEvents() {
	b.event("1", "h", "mara")
	rewinds(b).rewind(false)
	b.equal("what is claimed", b.claims("h", moment().Add(time.Minute)), []string(nil))
	if d := b.all("h")[0]; d.State != webhook.Dropped || d.Answer != "rewound" {
		b.Errorf("%+v", d)
	}
}
