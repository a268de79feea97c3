package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"portico/internal/account"
	"portico/internal/factor"
	"portico/internal/passkey"
	"portico/internal/session"
	"portico/internal/store"
)

type people struct{ *bundle }

// dice are the same in each run.
type dice uint64

func (d *dice) IntN(n int) int {
	*d = *d*6364136223846793005 + 1442695040888963407 // Knuth, MMIX
	return int(uint64(*d)>>33) % n
}

// member is a person as the test knows them.
type member struct {
	account.Person
	others []string // further addresses
}

// join makes a person whose properties follow from the number and the dice.
func (b people) join(number int, d *dice) member {
	pick := func(from ...string) string { return from[d.IntN(len(from))] }
	m := member{Person: account.Person{Account: account.Account{
		ID:        fmt.Sprintf("%s%02d", pick("b", "a", "Z", "9"), number),
		Name:      pick("Mara Lind", "mara", "MARTA", "Ömer", "ömür", "日本", "", `x\y%_`, "ma"),
		State:     account.State(pick("active", "active", "active", "disabled", "leaving")),
		Roles:     [][]string{{}, {}, {"admin"}, {"admin", "staff"}, {"staff"}}[d.IntN(5)],
		CreatedAt: moment().Add(time.Duration(d.IntN(6)) * time.Hour), Version: 1,
	}}}
	mail := fmt.Sprintf("%s%d@x.test", pick("mara", "Mar_", "m", "zoe", "ma%", "ma-"), number)
	m.Address = account.Address{Mail: mail, Key: strings.ToLower(mail)}
	if !b.insertAccount(m.Account) {
		b.Fatal("the account was not made")
	}
	if m.State == account.Leaving || m.State == account.DisabledByOperator && number%2 == 0 { // deleted by an operator
		m.EraseAt = moment().Add(account.Grace)
	}
	b.write(func(tx *store.Tx) error {
		if !m.EraseAt.IsZero() {
			if err := tx.InsertDeparture(b.Context(), account.Departure{AccountID: m.ID, LeftAt: moment(), EraseAt: m.EraseAt}); err != nil {
				return err
			}
		}
		if d.IntN(3) == 0 {
			m.Apps = 1
			if err := tx.InsertFactor(b.Context(), factor.Factor{ID: "f" + m.ID, AccountID: m.ID, Kind: "totp"}); err != nil {
				return err
			}
		}
		if d.IntN(3) == 0 {
			m.Passkeys = 1
			if _, err := tx.InsertPasskey(b.Context(), passkey.Passkey{ID: "p" + m.ID, AccountID: m.ID, Credential: []byte(m.ID)}); err != nil {
				return err
			}
		}
		if d.IntN(2) == 0 {
			m.SeenAt = moment().Add(time.Duration(d.IntN(5)) * 24 * time.Hour)
			s := session.Session{ID: "s" + m.ID, AccountID: m.ID, LastSeenAt: m.SeenAt}
			if err := tx.InsertSession(b.Context(), []byte(m.ID), s); err != nil {
				return err
			}
		}
		if d.IntN(4) == 0 {
			other := fmt.Sprintf("other%d@x.test", number)
			m.others = []string{other}
			_, err := tx.AddAddress(b.Context(), account.Other{AccountID: m.ID, Address: account.Address{Mail: other, Key: other}, Use: account.Spare, Until: account.Forever}, moment())
			return err
		}
		return nil
	})
	return m
}

// matches says in Go what the database must find.
func (m member) matches(q account.Query) bool {
	text := q.By == "" ||
		q.By == account.ByAddress && (m.Address.Key == q.Text || slices.Contains(m.others, q.Text)) ||
		q.By == account.ByAddressPrefix && strings.HasPrefix(m.Address.Key, q.Text) ||
		q.By == account.ByNamePrefix && strings.HasPrefix(strings.ToLower(m.Name), q.Text)
	factors := map[account.Factors]bool{
		"": true, account.NoFactor: m.Apps+m.Passkeys == 0, account.AnyFactor: m.Apps+m.Passkeys > 0,
		account.HasPasskey: m.Passkeys > 0, account.NoPasskey: m.Passkeys == 0, account.HasApp: m.Apps > 0,
	}
	return text && factors[q.Factors] && (q.Role == "" || slices.Contains(m.Roles, q.Role)) && m.in(q.State) &&
		(q.CreatedFrom.IsZero() || !m.CreatedAt.Before(q.CreatedFrom)) && (q.CreatedTo.IsZero() || m.CreatedAt.Before(q.CreatedTo)) &&
		(q.SeenBefore.IsZero() || m.SeenAt.Before(q.SeenBefore))
}

func (m member) in(state account.State) bool {
	switch deleted := !m.EraseAt.IsZero(); state {
	case "":
		return true
	case account.Leaving:
		return deleted
	default:
		return m.State == state && !deleted
	}
}

// query has each condition with some probability.
func query(d *dice) (q account.Query) {
	maybe := func() bool { return d.IntN(3) == 0 }
	q.Limit = 1 + d.IntN(4)
	texts := map[account.By][]string{
		account.ByAddress: {"other3@x.test", "mara1@x.test"}, account.ByAddressPrefix: {"m", "ma", "mar", "mar_", "ma%", "zoe"},
		account.ByNamePrefix: {"m", "mar", "mara", "ö", "öme", "日", `x\`},
	}
	if maybe() {
		q.By = []account.By{account.ByAddress, account.ByAddressPrefix, account.ByNamePrefix}[d.IntN(3)]
		q.Text = texts[q.By][d.IntN(len(texts[q.By]))]
	}
	if maybe() {
		q.Role = "admin"
	}
	if maybe() {
		q.State = []account.State{account.Active, account.DisabledByOperator, account.Leaving}[d.IntN(3)]
	}
	if maybe() {
		q.Factors = []account.Factors{account.NoFactor, account.AnyFactor, account.HasPasskey, account.NoPasskey, account.HasApp}[d.IntN(5)]
	}
	if maybe() {
		q.CreatedFrom = moment().Add(2 * time.Hour)
	}
	if maybe() {
		q.CreatedTo = moment().Add(4 * time.Hour)
	}
	if maybe() {
		q.SeenBefore = moment().Add(48 * time.Hour)
	}
	return q
}

// walk reads all pages, and calls between after each one.
func (b people) walk(q account.Query, between func()) (ids []string) {
	for pages := 0; ; pages++ {
		page, _ := find(b.bundle, func(tx *store.Tx) (account.Page, bool, error) {
			p, err := tx.People(b.Context(), q, moment())
			return p, true, err
		})
		if len(page.People) > q.Limit || len(page.People) < q.Limit && page.Next != "" && !page.Partial || pages > 1000 {
			b.Fatalf("page %d of %+v: %+v", pages, q, page)
		}
		for _, p := range page.People {
			if q.State == account.Leaving && !p.EraseAt.Equal(moment().Add(account.Grace)) {
				b.Errorf("%s is to be erased at %v", p.ID, p.EraseAt)
			}
			ids = append(ids, p.ID)
		}
		if q.After = page.Next; q.After == "" {
			return ids
		}
		between()
	}
}

// Any combination of conditions finds each person who matches once, in pages of any length.
func (b people) People_EachOnce() {
	d := dice(1)
	var all []member
	for n := range 40 {
		all = append(all, b.join(n, &d))
	}
	for range 150 {
		q := query(&d)
		want := []string{}
		for _, m := range all {
			if m.matches(q) {
				want = append(want, m.ID)
			}
		}
		got := b.walk(q, func() {})
		slices.Sort(got)
		slices.Sort(want)
		b.equal(fmt.Sprintf("the people of %+v", q), got, want)
	}
}

// People who stay are found once while others come, go and change.
func (b people) People_WhileTheyComeAndGo() {
	d := dice(2)
	stays, goes := map[string]member{}, []string{}
	number := 0
	for ; number < 30; number++ {
		if m := b.join(number, &d); number%3 > 0 {
			stays[m.ID] = m
		} else {
			goes = append(goes, m.ID)
		}
	}
	between := func() {
		if m := b.join(number, &d); number%2 == 0 {
			goes = append(goes, m.ID)
		}
		number++
		if len(goes) > 0 {
			b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), goes[0]) })
			goes = goes[1:]
		}
	}
	for range 25 {
		q := query(&d)
		times := map[string]int{}
		for _, id := range b.walk(q, between) {
			times[id]++
		}
		for id, m := range stays {
			want := 0
			if m.matches(q) {
				want = 1
			}
			if times[id] != want {
				b.Errorf("%+v: %s is there %d times, want %d", q, id, times[id], want)
			}
		}
		for _, id := range slices.Sorted(maps.Keys(times)) {
			if times[id] > 1 {
				b.Errorf("%+v: %s is there %d times", q, id, times[id])
			}
		}
	}
}

// A change of an account changes what it is found by, with the change.
func (b people) People_AfterChanges() {
	a := full[account.Account](1)
	a.State, a.Roles = account.Active, []string{"staff"}
	b.insertAccount(a)
	b.person(2)
	finds := func(what string, q account.Query, want bool) {
		b.Helper()
		q.Limit = 10
		if got := slices.Contains(b.walk(q, func() {}), a.ID); got != want {
			b.Errorf("%s: found %v, want %v", what, got, want)
		}
	}
	role := account.Query{Role: "admin"}
	finds("another role", role, false)
	b.write(func(tx *store.Tx) error { return tx.UpdateRoles(b.Context(), a.ID, []string{"admin"}) })
	finds("the new role", role, true)
	finds("the former role", account.Query{Role: "staff"}, false)
	b.write(func(tx *store.Tx) error { return tx.UpdateName(b.Context(), a.ID, "Ömer") })
	finds("the new name", account.Query{By: account.ByNamePrefix, Text: "öme"}, true)
	b.did(func(tx *store.Tx) (bool, error) {
		return tx.UpdateAddress(b.Context(), a.ID, account.Address{Mail: "New@x.test", Key: "new@x.test"}, moment(), moment())
	})
	finds("the new address", account.Query{By: account.ByAddressPrefix, Text: "new@"}, true)
	b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), a.ID, account.DisabledByOperator) })
	finds("the new state", account.Query{State: account.DisabledByOperator}, true)
	b.write(func(tx *store.Tx) error {
		return tx.InsertFactor(b.Context(), factor.Factor{ID: "f", AccountID: a.ID})
	})
	b.did(func(tx *store.Tx) (bool, error) {
		return tx.InsertPasskey(b.Context(), passkey.Passkey{ID: "p", AccountID: a.ID})
	})
	finds("with an app", account.Query{Factors: account.HasApp}, true)
	finds("with a passkey", account.Query{Factors: account.HasPasskey}, true)
	finds("without a passkey", account.Query{Factors: account.NoPasskey}, false)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteFactor(b.Context(), a.ID, "f") })
	finds("without the app", account.Query{Factors: account.HasApp}, false)
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeletePasskey(b.Context(), a.ID, "p") })
	finds("without the passkey", account.Query{Factors: account.NoPasskey}, true)
	finds("without both", account.Query{Factors: account.NoFactor}, true)
	b.write(func(tx *store.Tx) error {
		return tx.InsertSession(b.Context(), []byte("t"), session.Session{ID: "s", AccountID: a.ID, LastSeenAt: moment()})
	})
	unseen := account.Query{SeenBefore: moment().Add(time.Minute)}
	finds("signed in", unseen, true)
	b.write(func(tx *store.Tx) error {
		return tx.TouchSessions(b.Context(), []session.Use{{ID: "s", Seen: moment().Add(30 * time.Minute)}})
	})
	finds("used within the hour", unseen, true)
	b.write(func(tx *store.Tx) error {
		return tx.TouchSessions(b.Context(), []session.Use{{ID: "s", Seen: moment().Add(time.Hour)}})
	})
	finds("used after it", unseen, false)
}

// A cursor works for the conditions that it was made with only.
func (b people) People_ForeignCursor() {
	b.person(1)
	b.person(2)
	pages := func(q account.Query) (account.Page, error) {
		var page account.Page
		err := b.store.Read(b.Context(), func(tx *store.Tx) (err error) {
			page, err = tx.People(b.Context(), q, moment())
			return err
		})
		return page, err
	}
	page, err := pages(account.Query{Limit: 1})
	if err != nil || page.Next == "" {
		b.Fatalf("%+v (%v)", page, err)
	}
	for _, q := range []account.Query{
		{After: page.Next, State: account.Leaving}, {After: page.Next, By: account.ByNamePrefix, Text: "name"}, {After: "x"}, {After: "!"},
		{After: page.Next, CreatedTo: moment().Add(-time.Hour)},
	} {
		q.Limit = 1
		if _, err := pages(q); err == nil || err.Error() != account.BadCursor.Error() {
			b.Errorf("%+v: %v", q, err)
		}
	}
}

// Comparing changes nothing that is right, and comes to each account.
func (b people) IndexPeople_ComesToAll() {
	for n := range 5 {
		b.person(n)
	}
	var seen []string
	for last := ""; ; {
		last = result(b.bundle, func(tx *store.Tx) (string, error) { return tx.IndexPeople(b.Context(), last, 2) })
		if last == "" {
			break
		}
		seen = append(seen, last)
	}
	b.equal("how many pages had a next one", len(seen), 2)
}

func (b people) InsertApplicant_EndsWithTheAccount() {
	a := b.person(1)
	b.write(func(tx *store.Tx) error { return tx.InsertApplicant(b.Context(), a.ID) })
	b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), a.ID, account.Waiting) })
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), a.ID) })
	if b.did(func(tx *store.Tx) (bool, error) {
		n, err := tx.TakeApplicants(b.Context(), 9)
		return n > 0, err
	}) {
		b.Error("an account that is deleted counts")
	}
}

// At most as many are taken as the caller can tell of.
func (b people) TakeApplicants_Bounded() {
	for number := range 3 {
		a := b.person(number + 1)
		b.write(func(tx *store.Tx) error { return tx.InsertApplicant(b.Context(), a.ID) })
		b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), a.ID, account.Waiting) })
	}
	for _, want := range []int{2, 1, 0} {
		b.equal("the number", result(b.bundle, func(tx *store.Tx) (int, error) { return tx.TakeApplicants(b.Context(), 2) }), want)
	}
}

// Who was approved meanwhile is not counted, nor anybody twice, also by nodes at the same moment.
func (b people) TakeApplicants_Once() {
	for number := range 3 {
		a := b.person(number + 1)
		b.write(func(tx *store.Tx) error { return tx.InsertApplicant(b.Context(), a.ID) })
		if number < 2 {
			b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), a.ID, account.Waiting) })
		}
	}
	var counted atomic.Int64
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		n, err := tx.TakeApplicants(b.Context(), 9)
		if n > 0 {
			counted.Store(int64(n))
		}
		return n > 0, err
	})
	b.equal("the number", counted.Load(), int64(2))
}
