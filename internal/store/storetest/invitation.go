package storetest

import (
	"time"

	"portico/internal/invitation"
	"portico/internal/outbox"
	"portico/internal/store"
)

type invitations struct{ *bundle }

// sent adds an open invitation.
func (b invitations) sent(number int) invitation.Invitation {
	b.Helper()
	i := full[invitation.Invitation](number)
	i.State, i.Used, i.Most, i.EndsAt = invitation.Open, 0, 1, moment().Add(time.Hour)
	if !b.insert(i) {
		b.Fatal("the invitation was not added")
	}
	return i
}

func (b invitations) insert(i invitation.Invitation) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.InsertInvitation(b.Context(), i) })
}

func (b invitations) now(id string) invitation.Invitation {
	b.Helper()
	i, ok := find(b.bundle, func(tx *store.Tx) (invitation.Invitation, bool, error) { return tx.InvitationByID(b.Context(), id) })
	if !ok {
		b.Fatal("there is no such invitation")
	}
	return i
}

func (b invitations) end(id string, state invitation.State) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.EndInvitation(b.Context(), id, state, moment()) })
}

func (b invitations) use(id string, now time.Time) bool {
	b.Helper()
	return b.did(func(tx *store.Tx) (bool, error) { return tx.UseInvitation(b.Context(), id, "made", now) })
}

func (b invitations) InsertInvitation_OneOpenOfEachAddress() {
	b.oneWins(func(tx *store.Tx, worker int) (bool, error) {
		i := full[invitation.Invitation](worker)
		i.Key, i.State = "mara@example.org", invitation.Open
		return tx.InsertInvitation(b.Context(), i)
	})
	for number := range 2 { // a link for many has no address
		i := full[invitation.Invitation](30 + number)
		i.Key, i.State = "", invitation.Open
		if !b.insert(i) {
			b.Error("there is one link for many at most")
		}
	}
}

func (b invitations) InvitationByID_EveryField() {
	i := b.sent(1)
	b.sent(2)
	b.equal("the invitation", b.now(i.ID), i)
}

func (b invitations) InvitationByLink_Itself() {
	i := b.sent(1)
	b.sent(2)
	got, ok := find(b.bundle, func(tx *store.Tx) (invitation.Invitation, bool, error) {
		return tx.InvitationByLink(b.Context(), i.Link)
	})
	if b.equal("the invitation", got, i); !ok {
		b.Error("no invitation has the link")
	}
}

func (b invitations) InvitationOf_TheOpenOne() {
	i := b.sent(1)
	of := func(key string) bool {
		_, ok := find(b.bundle, func(tx *store.Tx) (invitation.Invitation, bool, error) { return tx.InvitationOf(b.Context(), key) })
		return ok
	}
	if !of(i.Key) || of("no") || of("") {
		b.Error("the wrong address is invited")
	}
	if b.end(i.ID, invitation.Replaced); of(i.Key) {
		b.Error("an invitation that was replaced is open")
	}
}

func (b invitations) OpenInvitation_TheFirstTime() {
	i := full[invitation.Invitation](1)
	i.OpenedAt = time.Time{}
	b.insert(i)
	for minutes := range 2 {
		b.write(func(tx *store.Tx) error {
			return tx.OpenInvitation(b.Context(), i.ID, moment().Add(time.Duration(minutes)*time.Minute))
		})
	}
	b.equal("the time", b.now(i.ID).OpenedAt, moment())
}

func (b invitations) UseInvitation_AsOftenAsItSays() {
	many := full[invitation.Invitation](3)
	many.Key, many.State, many.Used, many.Most, many.EndsAt = "", invitation.Open, 0, 3, moment().Add(time.Hour)
	b.insert(many)
	if won := b.race(func(tx *store.Tx, _ int) (bool, error) {
		return tx.UseInvitation(b.Context(), many.ID, "made", moment())
	}); won != 3 {
		b.Errorf("%d accounts were made", won)
	}
	if now := b.now(many.ID); now.State != invitation.Used || now.Used != 3 || now.AccountID != "" || !now.UsedAt.Equal(moment()) {
		b.Errorf("afterwards it is %+v", now)
	}
	i := b.sent(1)
	if b.use(i.ID, i.EndsAt) {
		b.Error("an expired invitation was used")
	}
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) { return tx.UseInvitation(b.Context(), i.ID, "made", moment()) })
	if now := b.now(i.ID); now.AccountID != "made" || now.State != invitation.Used {
		b.Errorf("afterwards it is %+v", now)
	}
}

func (b invitations) EndInvitation_Once() {
	i := b.sent(1)
	b.oneWins(func(tx *store.Tx, _ int) (bool, error) {
		return tx.EndInvitation(b.Context(), i.ID, invitation.Ended, moment())
	})
	if now := b.now(i.ID); now.State != invitation.Ended || !now.EndsAt.Equal(moment()) || b.use(i.ID, moment().Add(-time.Minute)) {
		b.Errorf("afterwards it is %+v", now)
	}
}

func (b invitations) EndInvitationsBy_OpenOnesAfterATime() {
	var all []invitation.Invitation
	for number, by := range []string{"key:a", "admin:a", "admin:a", "admin:a", "admin:a", "admin:a"} {
		i := full[invitation.Invitation](number)
		i.State, i.By, i.Used, i.Most, i.CreatedAt, i.EndsAt = invitation.Open, by, 0, 1, moment().Add(-time.Duration(number%5)*time.Minute), moment().Add(time.Hour)
		if number == 1 {
			i.State = invitation.Used
		}
		if all = append(all, i); number < 5 { // the last one is sent later
			b.insert(i)
		}
	}
	ends := func(since time.Time) bool {
		return b.did(func(tx *store.Tx) (bool, error) { return tx.EndInvitationsBy(b.Context(), "admin:a", since) })
	}
	if !ends(all[4].CreatedAt) || ends(all[4].CreatedAt) {
		b.Error("it does not tell whether there were any")
	}
	b.insert(all[5])
	for number, want := range []invitation.State{invitation.Open, invitation.Used, invitation.Ended, invitation.Ended, invitation.Open, invitation.Open} {
		i := all[number]
		if i.State = want; number == 2 {
			found, _ := find(b.bundle, func(tx *store.Tx) (invitation.Invitation, bool, error) { return tx.InvitationOf(b.Context(), i.Key) })
			b.equal("the one of its address", found, i)
		}
		b.equal("an invitation", b.now(i.ID), i)
		if used := b.use(i.ID, moment()); used != (want == invitation.Open) {
			b.Errorf("%d, which is %s, is used: %t", number, want, used)
		}
	}
	if !ends(time.Time{}) {
		b.Error("the zero time leaves one open")
	}
}

func (b invitations) Invitations_NewestFirst() {
	var all []invitation.Invitation
	for number := range 4 {
		i := full[invitation.Invitation](number)
		i.ID, i.State = string(rune('a'+number)), invitation.Used
		b.insert(i)
		all = append(all, i)
	}
	replaced := full[invitation.Invitation](9)
	replaced.ID, replaced.State = "e", invitation.Replaced
	b.insert(replaced)
	b.write(func(tx *store.Tx) error {
		return tx.InsertOutcome(b.Context(), outbox.Outcome{ID: all[2].MessageID, Mailbox: []byte("m"), State: outbox.Accepted, Answer: "250"})
	})
	page := func(after string) []invitation.Listed {
		return list(b.bundle, func(tx *store.Tx) ([]invitation.Listed, error) { return tx.Invitations(b.Context(), after, 2) })
	}
	b.equal("the first page", page(""), []invitation.Listed{{Invitation: all[3]}, {Invitation: all[2], Mailed: "accepted", Answer: "250"}})
	b.equal("the next one", page("c"), []invitation.Listed{{Invitation: all[1]}, {Invitation: all[0]}})
}
