package cli

import (
	"encoding/json"
	"strings"
	"time"

	"portico/internal/account"
	"portico/internal/app"
)

// conditions say which accounts a command is about.
type conditions struct {
	Role          string `help:"Only accounts with this role." placeholder:"NAME"`
	State         string `help:"Only accounts in this state: active, disabled, leaving or waiting." placeholder:"STATE"`
	WithoutFactor bool   `help:"Only accounts without a passkey and without an authenticator app."`
	SeenBefore    string `help:"Only accounts that no one has used since the beginning of this day (UTC)." placeholder:"YYYY-MM-DD"`
}

type userListCmd struct {
	conditions `embed:""`
	JSON       bool `name:"json" help:"Print the accounts as JSON."`
}

func (userListCmd) Help() string {
	return "Example:\n  portico user list --role admin --without-factor\n  portico user list --json | jq -r '.[].email'\n\nWithout conditions, the newest account comes first."
}

// withFactors is an account with how many second factors it has, and with its erasure.
type withFactors struct {
	person
	Passkeys      int    `json:"passkeys"`
	Apps          int    `json:"authenticator_apps"`
	RecoveryCodes int    `json:"recovery_codes_left"`
	ErasedAt      string `json:"erased_at"` // "" if it is not to be erased
}

// erasedAt says when the account is to be erased, if it is. Its state is then leaving, also if
// an admin has deleted it.
func (w *withFactors) erasedAt(at time.Time) {
	if !at.IsZero() {
		w.State, w.ErasedAt = string(account.Leaving), at.Format(timeForm)
	}
}

// listed is an account in a list.
type listed struct {
	withFactors
	SeenAt string `json:"seen_at"` // "" if it is not known
}

func listedOf(p account.Person) listed {
	l := listed{withFactors: withFactors{person: personOf(p.Account), Passkeys: p.Passkeys, Apps: p.Apps, RecoveryCodes: p.RecoveryCodes}}
	l.erasedAt(p.EraseAt)
	if !p.SeenAt.IsZero() {
		l.SeenAt = p.SeenAt.Format(timeForm)
	}
	return l
}

func (c conditions) query() (account.Query, error) {
	q := account.Query{Role: c.Role, State: account.State(c.State), Limit: account.MostPeople}
	if c.State != "" {
		if err := oneOf("state", c.State, account.States()); err != nil {
			return q, err
		}
	}
	if c.WithoutFactor {
		q.Factors = account.NoFactor
	}
	var err error
	q.SeenBefore, err = day("--seen-before", c.SeenBefore)
	return q, err
}

// Run lists the accounts page by page, and keeps one page in memory: there may be a million.
func (c userListCmd) Run(s *session) error {
	q, err := c.query()
	if err != nil {
		return err
	}
	return s.withApp(func(a *app.App) error {
		between := "[" // of the JSON, before the next account
		for {
			page, err := a.Operator.People(s, q)
			if err != nil {
				return err
			}
			for _, p := range page.People {
				l := listedOf(p)
				lines := []string{l.String()}
				if c.JSON {
					text, err := json.MarshalIndent(l, "  ", "  ")
					if err != nil {
						return err
					}
					lines = strings.Split(between+"\n  "+strings.TrimSuffix(string(text), "\n  }"), "\n")
					between = "  },"
				}
				if err := s.print(false, nil, lines...); err != nil {
					return err
				}
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		switch {
		case !c.JSON:
			return nil
		case between == "[":
			return s.print(false, nil, "[]")
		}
		return s.print(false, nil, "  }", "]")
	})
}
