package screens

import (
	"cmp"
	"net/http"
	"strings"

	"portico/internal/apikey"
	"portico/internal/flow"
	"portico/internal/secret"
	"portico/internal/server/form"
	"portico/internal/session"
)

// fillTokens adds the tokens of the user, what a new one may have, and the text of one that was just made.
func (s *Screens) fillTokens(w http.ResponseWriter, r *http.Request, found session.Found, b *Boot) error {
	v, err := s.Owner.Tokens(r.Context(), found)
	if err != nil {
		return err
	}
	say := func(key string, params map[string]string) string {
		return s.Catalogue.Text(b.Locale, "state."+key, params)
	}
	for _, p := range v.List {
		b.Tokens.List = append(b.Tokens.List, Token{
			ID: p.ID, Name: p.Name, App: p.App, Roles: cmp.Or(strings.Join(p.Roles, ", "), say("token_no_roles", nil)),
			Used: s.moment(b.Locale, p.UsedAt), Until: s.moment(b.Locale, p.EndsAt),
		})
	}
	for _, app := range v.Apps {
		b.Tokens.Apps = append(b.Tokens.Apps, Choice{ID: app, Name: app})
	}
	if len(v.Roles) > 0 {
		b.Tokens.Roles = []Choice{{ID: "", Name: say("token_no_roles", nil)}, {ID: flow.AllRoles, Name: say("token_all_roles", nil)}}
	}
	for _, role := range v.Roles {
		b.Tokens.Roles = append(b.Tokens.Roles, Choice{ID: role, Name: role})
	}
	for i, days := range apikey.Lives() {
		b.Tokens.Lives = append(b.Tokens.Lives, Choice{ID: days, Name: say("token_days", map[string]string{"count": days}), Chosen: yes(i == 1)})
	}
	b.Tokens.Nonce, b.Tokens.Full = secret.Token(), yes(v.Full)
	b.Tokens.Made = s.Actions.Made(w, r, found.User.ID)
	return nil
}

// keepToken puts back what a refused form said.
func keepToken(in form.MakeToken, b *Boot) {
	b.Values.Name = in.Name
	choose(b.Tokens.Apps, in.App)
	choose(b.Tokens.Roles, in.Role)
	choose(b.Tokens.Lives, in.Days)
}
