package app

import (
	"portico/internal/farewell"
	"portico/internal/origin"
	"portico/internal/outbox"
)

// newFarewell prepares telling OpenID clients about ended sessions.
func (a *App) newFarewell(l *live) *farewell.Sender {
	return farewell.New(farewell.Config{
		Client: l.told, Guests: l.toldGuest, Find: l.OpenID.ClientToTell, Keys: a.Keys, Clock: a.clock, Issuer: origin.Of(publicURL(l.config)),
	})
}

// prepareFarewells makes the runners that send the messages about ended sessions. They exist without clients
// too, because a reload may add one.
func (a *App) prepareFarewells() {
	for lane, most := range map[outbox.Lane][2]int{
		outbox.Logouts: {farewell.Parallel, farewell.PerClient}, outbox.GuestLogouts: {farewell.ParallelGuests, farewell.PerGuest},
	} {
		a.farewells = append(a.farewells, a.newRunner(lane, most[0], most[1]))
	}
}
