package cli

import (
	"fmt"
	"strings"

	"portico/internal/account"
	"portico/internal/app"
	"portico/internal/flow"
	sessions "portico/internal/session"
	"portico/internal/useragent"
)

type sessionCmd struct {
	List sessionListCmd `cmd:"" help:"List the sessions of a user, newest first."`
	End  sessionEndCmd  `cmd:"" help:"End one session, or all sessions of a user, in every app."`
}

// signIn is a session in the output.
type signIn struct {
	ID        string   `json:"id"`
	Browser   string   `json:"browser"`
	Methods   []string `json:"methods"`
	CreatedAt string   `json:"created_at"`
	LastSeen  string   `json:"last_seen_at"`
	ExpiresAt string   `json:"expires_at"`
}

func signInOf(s sessions.Session) signIn {
	return signIn{
		ID: s.ID, Browser: useragent.Describe(s.UserAgent), Methods: append([]string{}, s.Methods...),
		CreatedAt: s.CreatedAt.Format(timeForm), LastSeen: s.LastSeenAt.Format(timeForm), ExpiresAt: s.ExpiresAt.Format(timeForm),
	}
}

func (i signIn) String() string {
	return fmt.Sprintf("%s\t%s\tsince %s\tlast seen %s", i.ID, i.Browser, i.CreatedAt, i.LastSeen)
}

type sessionListCmd struct {
	Email string `arg:"" help:"The email address of the account."`
	JSON  bool   `name:"json" help:"Print as JSON."`
}

func (sessionListCmd) Help() string { return "Example:\n  portico session list mara@example.com" }

func (c sessionListCmd) Run(s *session) error {
	return s.withUser(c.Email, func(a *app.App, u account.Account) error {
		held, err := a.Operator.UserSessions(s, u.ID)
		if err != nil {
			return err
		}
		return list(s, c.JSON, held, signInOf)
	})
}

type sessionEndCmd struct {
	Which string `arg:"" name:"email-or-id" help:"An email address, to end all sessions of the user, or a session ID from 'portico session list'."`
	JSON  bool   `name:"json" help:"Print as JSON."`
}

func (sessionEndCmd) Help() string {
	return "Example:\n  portico session end mara@example.com\n\nA running server applies this within a second and closes open connections within five. The user can sign in again. To prevent that, use 'portico user disable'."
}

// Run ends one session, or all sessions of an account.
func (c sessionEndCmd) Run(s *session) error {
	if strings.Contains(c.Which, "@") {
		return s.withUser(c.Which, func(a *app.App, u account.Account) error {
			n, err := a.Operator.EndUserSessions(s, flow.ByOperator, u.ID)
			if err != nil {
				return err
			}
			return c.done(s, n)
		})
	}
	return s.withApp(func(a *app.App) error {
		if err := a.Operator.EndUserSession(s, flow.ByOperator, c.Which); err != nil {
			return err
		}
		return c.done(s, 1)
	})
}

func (c sessionEndCmd) done(s *session, n int) error {
	return s.print(c.JSON, map[string]int{"ended": n}, "ended\t"+counted(n, "session"))
}
