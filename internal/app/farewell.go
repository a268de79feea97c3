package app

import (
	"context"

	"portico/internal/farewell"
	"portico/internal/origin"
	"portico/internal/outbox"
	"portico/internal/store"
	"portico/internal/telemetry/span"
)

// newFarewell prepares telling OpenID clients about ended sessions.
func (a *App) newFarewell(l *live) *farewell.Sender {
	return farewell.New(farewell.Config{
		Client: l.told, Guests: l.toldGuest, Find: l.OpenID.ClientToTell, Keys: a.Keys, Clock: a.clock, Issuer: origin.Of(publicURL(l.config)),
	})
}

// startFarewells prepares the runners that send the messages about ended sessions. They exist without clients
// too, because a reload may add one.
func (a *App) startFarewells() {
	for lane, most := range map[outbox.Lane][2]int{
		outbox.Logouts: {farewell.Parallel, farewell.PerClient}, outbox.GuestLogouts: {farewell.ParallelGuests, farewell.PerGuest},
	} {
		a.farewells = append(a.farewells, outbox.NewRunner(outbox.RunnerConfig{
			Outbox: a.Outbox, Lane: lane, Log: a.log, Parallel: most[0], PerClient: most[1],
			Deliver: func(ctx context.Context, m outbox.Message) error {
				ctx, s := a.spans.Begin(ctx, span.MailSend, span.Template(m.Template), span.Message(m.ID))
				err := a.live.Load().farewell.Send(ctx, m)
				s.End(failure(err))
				return err
			},
			Write: unit[outbox.Store]{a.Store, func(tx *store.Tx) outbox.Store { return tx }}.Write,
		}))
	}
}
