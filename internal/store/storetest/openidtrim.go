package storetest

import (
	"slices"
	"time"

	"portico/internal/openid"
	"portico/internal/store"
)

func (b grants) TrimGrants_AllButTheNewest() {
	a := b.person(1)
	var all []string
	for number := range 8 { // codes and redeemed ones take turns, and the last two are others'
		g := b.at(number+1, a, "s", func(g *openid.Grant) {
			g.ClientID = "rp"
			switch {
			case number == 0: // in use
				g.RotatedAt = moment().Add(time.Hour)
			case number == 6:
				g.ClientID = "another"
			case number == 7:
				g.SessionID = "another"
			case number%2 == 1:
				g.RedeemedAt = time.Time{}
			}
		})
		all = append(all, g.ID)
	}
	b.write(func(tx *store.Tx) error {
		return tx.TrimGrants(b.Context(), openid.Grant{AccountID: a.ID, ClientID: "rp"}, 2, 9, 9)
	})
	for number, id := range all {
		if _, ok := b.liveGrant(id); ok != (number != 1 && number != 2) {
			b.Errorf("the grant %d is there: %v", number, ok)
		}
	}
}

// Each session keeps its newest one for as long as there is room.
func (b grants) TrimGrants_OfAllSessions() {
	a := b.person(1)
	var all []string
	for number, session := range []string{"gone", "oldest", "idle", "in use", "in use", "in use"} {
		all = append(all, b.at(number+1, a, session, func(g *openid.Grant) { g.ClientID, g.MayTell = "rp", false }).ID)
	}
	trim := func(most int, stay ...int) {
		b.write(func(tx *store.Tx) error {
			return tx.TrimGrants(b.Context(), openid.Grant{AccountID: a.ID, ClientID: "rp"}, 9, most, 9)
		})
		for number, id := range all {
			if _, ok := b.liveGrant(id); ok != slices.Contains(stay, number) {
				b.Errorf("with room for %d, the grant %d is there: %v", most, number, ok)
			}
		}
	}
	trim(4, 0, 1, 2, 5)
	trim(2, 2, 5)
}

// Clients that may be told share their room, where each has one in each session before another has two.
func (b grants) TrimGrants_OfGuests() {
	a := b.person(1)
	var all []string
	for number, client := range []string{"listed", "first", "second", "third", "third"} {
		all = append(all, b.at(number+1, a, "s", func(g *openid.Grant) { g.ClientID, g.MayTell = client, client != "listed" }).ID)
	}
	b.write(func(tx *store.Tx) error {
		return tx.TrimGrants(b.Context(), openid.Grant{AccountID: a.ID, ClientID: "fourth", MayTell: true}, 9, 2, 9)
	})
	for number, id := range all {
		if _, ok := b.liveGrant(id); ok != slices.Contains([]int{0, 2, 4}, number) {
			b.Errorf("the grant %d is there: %v", number, ok)
		}
	}
}

func (b grants) TrimGrants_OfAnyClient() {
	a, other := b.person(1), b.person(2)
	var all []string
	for number, client := range []string{"rp", "oldest", "busy", "busy", "busy"} {
		all = append(all, b.at(number+1, a, "s", func(g *openid.Grant) { g.ClientID, g.MayTell = client, false }).ID)
	}
	all = append(all, b.at(6, other, "s", func(g *openid.Grant) { g.ClientID = "rp" }).ID)
	trim := func(most int, stay ...int) {
		b.write(func(tx *store.Tx) error {
			return tx.TrimGrants(b.Context(), openid.Grant{AccountID: a.ID, ClientID: "rp"}, 9, 9, most)
		})
		for number, id := range all {
			if _, ok := b.liveGrant(id); ok != slices.Contains(stay, number) {
				b.Errorf("with room for %d, the grant %d is there: %v", most, number, ok)
			}
		}
	}
	trim(5, 0, 1, 2, 3, 4, 5)
	trim(3, 0, 1, 4, 5)
	trim(2, 1, 4, 5)
}

func (b grants) DeleteConsents_OfOneAccount() {
	a, other := b.person(1), b.person(2)
	for _, c := range []openid.Consent{{AccountID: a.ID, ClientID: "rp"}, {AccountID: a.ID, ClientID: "second"}, {AccountID: other.ID, ClientID: "rp"}} {
		c.Scopes, c.GivenAt = []string{}, moment()
		b.write(func(tx *store.Tx) error { return tx.SaveConsent(b.Context(), c) })
	}
	for _, want := range [][]string{{"rp", "second"}, nil} {
		b.write(func(tx *store.Tx) error {
			gone, err := tx.DeleteConsents(b.Context(), a.ID)
			slices.Sort(gone)
			b.equal("the clients", gone, want)
			return err
		})
	}
	if _, ok := find(b.bundle, func(tx *store.Tx) (openid.Consent, bool, error) { return tx.ConsentOf(b.Context(), other.ID, "rp") }); !ok {
		b.Error("the consent of another account is gone")
	}
}

func (b grants) TrimConsents_AllButTheNewest() {
	a, other := b.person(1), b.person(2)
	for number, c := range []openid.Consent{
		{AccountID: a.ID, ClientID: "b"}, {AccountID: a.ID, ClientID: "c"}, {AccountID: a.ID, ClientID: "a"}, {AccountID: other.ID, ClientID: "b"},
	} {
		c.Scopes, c.GivenAt = []string{}, moment().Add(time.Duration(number)*time.Second)
		b.write(func(tx *store.Tx) error { return tx.SaveConsent(b.Context(), c) })
	}
	for _, step := range []struct {
		keep int
		left []string
	}{{3, []string{"a", "b", "c"}}, {2, []string{"a", "c"}}} {
		var left []string
		b.write(func(tx *store.Tx) error {
			if err := tx.TrimConsents(b.Context(), a.ID, step.keep); err != nil {
				return err
			}
			all, err := tx.ConsentsOf(b.Context(), a.ID)
			for _, c := range all {
				left = append(left, c.ClientID)
			}
			return err
		})
		b.equal("the consents", left, step.left)
	}
	if _, ok := find(b.bundle, func(tx *store.Tx) (openid.Consent, bool, error) { return tx.ConsentOf(b.Context(), other.ID, "b") }); !ok {
		b.Error("the consent of another account is gone")
	}
}
