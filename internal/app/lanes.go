package app

import (
	"context"
	"maps"

	"portico/internal/mailer"
	"portico/internal/outbox"
	"portico/internal/store"
	"portico/internal/telemetry/span"
	"portico/internal/useragent"
)

// Emails that are on their way at a time. Neither kind takes the places of the other.
const (
	awaitedMails = 6
	otherMails   = 4
)

// prepareMail makes the runners that send emails.
func (a *App) prepareMail() {
	if a.options.Deliver != nil || a.Mailer != nil {
		a.mails = []*outbox.Runner{a.newRunner(outbox.Awaited, awaitedMails, 0), a.newRunner(outbox.Mail, otherMails, 0)}
	}
}

// deliver sends one message of the outbox. Its template says how, and not its lane, because a node of the version before
// 0015_lane.sql gives none.
func (a *App) deliver(ctx context.Context, m outbox.Message) error {
	switch {
	case m.Template == outbox.LogoutTemplate || m.Template == outbox.GuestLogoutTemplate:
		return a.live.Load().farewell.Send(ctx, m)
	case a.options.Deliver != nil:
		return a.options.Deliver(ctx, m)
	}
	data := maps.Clone(m.Data)
	data["browser"], data["system"] = useragent.Parse(m.Data["browser"])
	return a.live.Load().mailer.Send(ctx, mailer.Message{ID: m.ID, Template: m.Template, To: m.To, Locale: m.Locale, Data: data})
}

// begins returns why the delivery of a message does not begin, or nil.
func (a *App) begins(ctx context.Context, m outbox.Message) error {
	over, err := a.live.Load().Operator.Over(ctx, m)
	switch {
	case err != nil:
		return unbegun{err}
	case over:
		return outbox.ErrOver
	}
	return nil
}

// unbegun is the error of a delivery that can be tried again, because it has not begun.
type unbegun struct{ error }

func (u unbegun) Unwrap() error { return u.error }
func (unbegun) Permanent() bool { return false }
func (unbegun) Uncertain() bool { return false }

// newRunner returns what sends the messages of a lane.
func (a *App) newRunner(lane outbox.Lane, parallel, perClient int) *outbox.Runner {
	return outbox.NewRunner(outbox.RunnerConfig{
		Outbox: a.Outbox, Lane: lane, Log: a.log, Parallel: parallel, PerClient: perClient,
		Deliver: func(ctx context.Context, m outbox.Message) error {
			if err := a.begins(ctx, m); err != nil {
				return err
			}
			ctx, s := a.spans.Begin(ctx, span.MailSend, span.Template(m.Template), span.Message(m.ID))
			err := a.deliver(ctx, m)
			s.End(failure(err))
			return err
		},
		Write: unit[outbox.Store]{a.Store, func(tx *store.Tx) outbox.Store { return tx }}.Write,
	})
}
