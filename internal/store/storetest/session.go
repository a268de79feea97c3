package storetest

import (
	"slices"
	"time"

	"portico/internal/account"
	"portico/internal/session"
	"portico/internal/store"
)

type sessions struct{ *bundle }

func (b sessions) InsertSession_EveryField() {
	a, other := b.person(1), b.person(2)
	s := b.session(a, 1)
	b.session(other, 2)
	found, _ := b.sessionByHash(s.ID)
	person := session.User{ID: a.ID, Address: a.Address.Mail, Name: a.Name, Roles: a.Roles, EndsAt: a.EndsAt, Claims: a.Claims}
	b.equal("the session by hash", found, session.Found{Session: s, User: person})
	b.equal("the sessions of the account", b.sessions(a.ID), []session.Session{s})
}

func (b sessions) InsertSession_NothingSet() {
	b.insertAccount(account.Account{ID: "id", State: account.Active})
	s := session.Session{ID: "s", AccountID: "id"}
	b.insertSession(s)
	found, _ := b.sessionByHash("s")
	b.equal("the session", found, session.Found{Session: s, User: session.User{ID: "id"}})
}

func (b sessions) InsertSession_Refused() {
	s := b.session(b.person(1), 1)
	for why, change := range map[string]func(*session.Session, *string){
		"a hash that is taken": func(_ *session.Session, hash *string) { *hash = s.ID },
		"an id that is taken":  func(other *session.Session, _ *string) { other.ID = s.ID },
		"an unknown account":   func(other *session.Session, _ *string) { other.AccountID = "no" },
	} {
		other, hash := s, "other"
		other.ID = "other"
		change(&other, &hash)
		b.fails(why, func(tx *store.Tx) error { return tx.InsertSession(b.Context(), []byte(hash), other) })
	}
}

func (b sessions) SessionByHash_WhateverTheTime() {
	s := full[session.Session](1)
	a := b.person(1)
	s.AccountID, s.Version, s.ExpiresAt = a.ID, a.Version, moment().AddDate(-1, 0, 0)
	b.insertSession(s)
	if !b.held(s) {
		b.Error("the session was not found")
	}
	if _, ok := b.sessionByHash("no"); ok {
		b.Error("a session was found by another hash")
	}
	p := b.portrait(a.ID, 1)
	found, _ := b.sessionByHash(s.ID)
	b.equal("the picture", found.User.Portrait, p.ID)
}

func (b sessions) SessionByHash_ClosedAccount() {
	a, other := b.person(1), b.person(2)
	s, theirs := b.session(a, 1), b.session(other, 2)
	b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), a.ID, account.DisabledByOperator) })
	if b.held(s) || !b.held(theirs) {
		b.Error("not the sessions of the closed account, and those alone, are gone")
	}
	b.write(func(tx *store.Tx) error { return tx.UpdateState(b.Context(), a.ID, account.Active) })
	if b.held(s) {
		b.Error("opening the account brought a session back")
	}
}

// The session ends with its account, even if the version of the account is
// unchanged.
func (b sessions) SessionByHash_ClosedAccountSameVersion() {
	b.insertAccount(account.Account{ID: "id", State: account.DisabledByOperator})
	s := session.Session{ID: "s", AccountID: "id"}
	b.insertSession(s)
	if b.held(s) {
		b.Error("a closed account has a session")
	}
}

func (b sessions) SessionByHash_VersionMoved() {
	a := b.person(1)
	s := b.session(a, 1)
	b.write(func(tx *store.Tx) error { return tx.RehashPassword(b.Context(), a.ID, "rehashed") })
	if !b.held(s) {
		b.Error("a session ended with its account's version unmoved")
	}
	b.write(func(tx *store.Tx) error { return tx.UpdatePassword(b.Context(), a.ID, "new") })
	if b.held(s) || len(b.sessions(a.ID)) != 0 {
		b.Error("a session outlived the version of its account")
	}
}

func (b sessions) SessionsOf_NewestFirst() {
	a := b.person(1)
	b.session(b.person(2), 9)
	var want []session.Session
	for _, number := range []int{2, 3, 1} {
		want = append(want, b.session(a, number))
	}
	slices.SortFunc(want, func(x, y session.Session) int { return y.CreatedAt.Compare(x.CreatedAt) })
	b.equal("the sessions", b.sessions(a.ID), want)
	now := want[2].ExpiresAt
	b.equal("those that end later than one of them", b.sessionsAt(a.ID, now), want[:2])
}

func (b sessions) AccountOfSession_OfAnyPerson() {
	a, other := b.person(1), b.person(2)
	mine, theirs := b.session(a, 1), b.session(other, 2)
	for id, want := range map[string]string{mine.ID: a.ID, theirs.ID: other.ID, "no": ""} {
		err := b.store.Read(b.Context(), func(tx *store.Tx) error {
			got, ok, err := tx.AccountOfSession(b.Context(), id)
			if got.ID != want || ok != (want != "") {
				b.Errorf("%s is the session of %q (%v), want %q", id, got.ID, ok, want)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// A step that waits for another one sees that it has ended the session.
func (b sessions) AccountOfSession_HeldUntilTheEnd() {
	a := b.person(1)
	for n := range 20 {
		s := b.session(a, n)
		b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
			seen, ok, err := tx.AccountOfSession(b.Context(), s.ID)
			if err != nil || !ok {
				return false, err
			}
			_, err = tx.DeleteSession(b.Context(), seen.ID, s.ID, session.Left)
			return true, err
		})
	}
}

func (b sessions) DeleteSession_OnlyOneOfTheOwn() {
	a, other := b.person(1), b.person(2)
	s, second, theirs := b.session(a, 1), b.session(a, 2), b.session(other, 3)
	if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteSession(b.Context(), a.ID, theirs.ID, "why") }) || !b.held(theirs) {
		b.Error("one account ended another's session")
	}
	for _, want := range []bool{true, false} {
		if b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteSession(b.Context(), a.ID, s.ID, "") }) != want {
			b.Errorf("deleted, want %v", want)
		}
	}
	if b.held(s) || !b.held(second) {
		b.Error("not that session, and that alone, has ended")
	}
}

// Two sign-outs at once, such as a double click. One deletes the session and
// stores the reason.
func (b sessions) DeleteSession_OneOfMany() {
	a := b.person(1)
	s := b.session(a, 1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.DeleteSession(b.Context(), a.ID, s.ID, "signed_out")
	})
}

func (b sessions) DeleteSessions_ManyAtOnce() {
	a := b.person(1)
	b.session(a, 1)
	b.session(a, 2)
	b.race(func(tx *store.Tx, _ int) (bool, error) {
		_, err := tx.DeleteSessions(b.Context(), a.ID, "", "signed_out")
		return true, err
	})
	b.equal("the sessions", b.sessions(a.ID), []session.Session(nil))
}

func (b sessions) DeleteSessions_ButOne() {
	a, other := b.person(1), b.person(2)
	first, second, kept, theirs := b.session(a, 1), b.session(a, 2), b.session(a, 3), b.session(other, 4)
	n := result(b.bundle, func(tx *store.Tx) (int64, error) { return tx.DeleteSessions(b.Context(), a.ID, kept.ID, "") })
	if n != 2 || b.held(first) || b.held(second) || !b.held(kept) || !b.held(theirs) {
		b.Errorf("%d ended, want 2: all but the kept one, and nobody else's", n)
	}
	n = result(b.bundle, func(tx *store.Tx) (int64, error) { return tx.DeleteSessions(b.Context(), a.ID, "", "") })
	if n != 1 || b.held(kept) || !b.held(theirs) {
		b.Errorf("%d ended, want the last one", n)
	}
}

func (b sessions) SessionEnd_OfThoseThatEnded() {
	a, other := b.person(1), b.person(2)
	one, left, second, kept, theirs := b.session(a, 1), b.session(a, 2), b.session(a, 3), b.session(a, 4), b.session(other, 5)
	b.write(func(tx *store.Tx) error {
		_, err := tx.DeleteSession(b.Context(), a.ID, one.ID, session.Elsewhere)
		return err
	})
	b.write(func(tx *store.Tx) error {
		_, err := tx.DeleteSession(b.Context(), a.ID, left.ID, session.Left)
		return err
	})
	b.write(func(tx *store.Tx) error {
		_, err := tx.DeleteSessions(b.Context(), a.ID, kept.ID, session.Password)
		return err
	})
	b.did(func(tx *store.Tx) (bool, error) { return tx.DeleteAccount(b.Context(), a.ID) }) // the reason outlives the account
	for id, want := range map[string]session.Reason{
		one.ID: session.Elsewhere, left.ID: "", second.ID: session.Password, kept.ID: "", theirs.ID: "", "no": "",
	} {
		why, ok := b.sessionEnd(id)
		if why != want || ok != (want != "") {
			b.Errorf("%s ended by %q (%v), want %q", id, why, ok, want)
		}
	}
}

func (b sessions) InsertRevocation_EachIsARow() {
	b.equal("the revocations of nothing", b.revoked(), []string(nil))
	for _, id := range []string{"b", "a", "a"} {
		b.write(func(tx *store.Tx) error { return tx.InsertRevocation(b.Context(), id, moment()) })
	}
	b.equal("the revocations", b.revoked(), []string{"a", "a", "b"})
}

func (b sessions) DeleteRevocations_ThoseOnly() {
	var all []string
	b.write(func(tx *store.Tx) error {
		for range 120 {
			if err := tx.InsertRevocation(b.Context(), "a", moment()); err != nil {
				return err
			}
		}
		return nil
	})
	there := func() (ids []string) {
		for _, r := range list(b.bundle, func(tx *store.Tx) ([]session.Revocation, error) { return tx.Revocations(b.Context()) }) {
			ids = append(ids, r.ID)
		}
		slices.Sort(ids)
		return ids
	}
	all = there()
	for range 2 { // the second time there is nothing to delete
		b.write(func(tx *store.Tx) error { return tx.DeleteRevocations(b.Context(), all[:101]) })
	}
	b.write(func(tx *store.Tx) error { return tx.DeleteRevocations(b.Context(), nil) })
	b.equal("what is left", there(), all[101:])
}

// All revocations are returned, in any order.
func (b sessions) Revocations_Many() {
	b.write(func(tx *store.Tx) error {
		for range 1000 {
			if err := tx.InsertRevocation(b.Context(), "a", moment()); err != nil {
				return err
			}
		}
		return nil
	})
	if n := len(b.revoked()); n != 1000 {
		b.Errorf("%d revocations were found, want 1000", n)
	}
}

func (b sessions) TouchSessions_NeverBack() {
	a := b.person(1)
	s, other := b.session(a, 1), b.session(a, 2)
	later := s.LastSeenAt.Add(time.Microsecond)
	for _, seen := range []time.Time{later, later.Add(-time.Hour), later} {
		b.write(func(tx *store.Tx) error { return tx.TouchSessions(b.Context(), []session.Use{{ID: s.ID, Seen: seen}}) })
		got, _ := b.sessionByHash(s.ID)
		s.LastSeenAt = later
		b.equal("the session", got.Session, s)
	}
	got, _ := b.sessionByHash(other.ID)
	b.equal("another session", got.Session, other)
	b.write(func(tx *store.Tx) error {
		return tx.TouchSessions(b.Context(), []session.Use{{ID: "gone", Seen: later}})
	})
}

// Each of many gets its own time, and a person the latest of several sessions.
func (b sessions) TouchSessions_Many() {
	var uses []session.Use
	var owner account.Account
	touched := func(a account.Account, number int, later time.Duration) {
		s := b.session(a, number)
		uses = append(uses, session.Use{ID: s.ID, Seen: s.LastSeenAt.Add(later)})
	}
	for n := range 101 {
		owner = b.person(n)
		touched(owner, n, time.Duration(n)*time.Hour)
	}
	touched(owner, 201, 300*time.Hour)
	touched(owner, 202, 200*time.Hour)
	b.write(func(tx *store.Tx) error { return tx.TouchSessions(b.Context(), uses) })
	for n, u := range uses {
		if got, _ := b.sessionByHash(u.ID); !got.Session.LastSeenAt.Equal(u.Seen) {
			b.Errorf("the session %d was used at %v, want %v", n, got.Session.LastSeenAt, u.Seen)
		}
	}
	page := result(b.bundle, func(tx *store.Tx) (account.Page, error) {
		return tx.People(b.Context(), account.Query{Text: owner.Address.Key, By: account.ByAddress, Limit: 1}, moment())
	})
	if len(page.People) != 1 || !page.People[0].SeenAt.Equal(uses[101].Seen) {
		b.Errorf("the list of people has %+v, want the last use at %v", page.People, uses[101].Seen)
	}
}

func (b *bundle) insertSession(s session.Session) {
	b.Helper()
	b.write(func(tx *store.Tx) error { return tx.InsertSession(b.Context(), []byte(s.ID), s) })
}

func (b *bundle) sessionByHash(hash string) (session.Found, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (session.Found, bool, error) { return tx.SessionByHash(b.Context(), []byte(hash)) })
}

func (b *bundle) sessionEnd(hash string) (session.Reason, bool) {
	b.Helper()
	return find(b, func(tx *store.Tx) (session.Reason, bool, error) { return tx.SessionEnd(b.Context(), []byte(hash)) })
}

func (b *bundle) held(s session.Session) bool {
	b.Helper()
	_, ok := b.sessionByHash(s.ID)
	return ok
}

func (b *bundle) sessions(accountID string) []session.Session {
	b.Helper()
	return b.sessionsAt(accountID, moment())
}

func (b *bundle) sessionsAt(accountID string, now time.Time) []session.Session {
	b.Helper()
	return list(b, func(tx *store.Tx) ([]session.Session, error) { return tx.SessionsOf(b.Context(), accountID, now) })
}

// revoked returns the accounts of all revocations, sorted.
func (b *bundle) revoked() []string {
	b.Helper()
	var accounts []string
	for _, r := range list(b, func(tx *store.Tx) ([]session.Revocation, error) { return tx.Revocations(b.Context()) }) {
		accounts = append(accounts, r.AccountID)
	}
	slices.Sort(accounts)
	return accounts
}

// session stores a session of the account, under its id as the hash.
func (b *bundle) session(a account.Account, number int) session.Session {
	b.Helper()
	s := full[session.Session](number)
	s.AccountID, s.Version, s.App = a.ID, a.Version, ""
	b.insertSession(s)
	return s
}
