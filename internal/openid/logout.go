package openid

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Ended is what a client knew of a session that has ended.
type Ended struct {
	ClientID string
	SID      string
	Subject  string // as in Grant
	MayTell  bool   // as in Grant
}

// LogoutStore has the operations of the database for the end of sessions. Both
// end the grants of sessions that are still there, except the grants that outlive
// their session, and return every grant of these sessions whose code was redeemed.
type LogoutStore interface {
	// EndGrantsOf is for one session of the account.
	EndGrantsOf(ctx context.Context, accountID, sessionID string, now time.Time) ([]Ended, error)
	// EndGrantsBeside is for all sessions of the account but one.
	EndGrantsBeside(ctx context.Context, accountID, keep string, now time.Time) ([]Ended, error)
}

// SignOut ends what clients have got from one session, which is about to end. It
// returns each client once for each name that it knows the session by.
func (k *Keeper) SignOut(ctx context.Context, tx LogoutStore, accountID, sessionID string) ([]Ended, error) {
	list, err := tx.EndGrantsOf(ctx, accountID, sessionID, k.clock.Now())
	return once(list), err
}

// SignOutAll is SignOut for all sessions of an account but one.
func (k *Keeper) SignOutAll(ctx context.Context, tx LogoutStore, accountID, keep string) ([]Ended, error) {
	list, err := tx.EndGrantsBeside(ctx, accountID, keep, k.clock.Now())
	return once(list), err
}

func once(list []Ended) []Ended {
	slices.SortFunc(list, func(a, b Ended) int {
		return slices.Compare([]string{a.ClientID, a.SID}, []string{b.ClientID, b.SID})
	})
	return slices.Compact(list)
}

// logoutTokenLife is the validity of a logout token, which is signed when it is
// sent.
const logoutTokenLife = 2 * time.Minute

// LogoutType is the type of a logout token.
const LogoutType = "logout+jwt"

// LogoutToken returns the claims of a logout token (OpenID Connect Back-Channel
// Logout 2.4).
func LogoutToken(issuer, clientID, userID, sid, id string, now time.Time) map[string]any {
	return map[string]any{
		"iss": issuer, "aud": clientID, "sub": userID, "sid": sid, "jti": id,
		"iat": now.Unix(), "exp": now.Add(logoutTokenLife).Unix(),
		"events": map[string]any{"http://schemas.openid.net/event/backchannel-logout": map[string]any{}},
	}
}

// Hint is what an id_token_hint says.
type Hint struct {
	Issuer   string `json:"iss"`
	ClientID string `json:"aud"`
	UserID   string `json:"sub"`
	SID      string `json:"sid"`
}

// Farewell is a valid request to sign the user out (OpenID Connect RP-Initiated
// Logout 2).
type Farewell struct {
	Client   Client // without an id if the request names none
	ReturnTo string // with the state; "" if the request names no address
}

// ParseFarewell reads a request to sign the user out. verify returns what an ID
// token of this installation says. Its fault is LogoutUnknown: the browser must not
// go to the client then.
func (c Clients) ParseFarewell(query url.Values, verify func(token string) (Hint, error)) (Farewell, error) {
	for _, values := range query {
		if len(values) > 1 {
			return Farewell{}, LogoutUnknown.WithCause(invalidRequest("duplicate parameter"))
		}
	}
	id, hinted := query.Get("client_id"), query.Has("id_token_hint")
	if hinted {
		hint, err := verify(query.Get("id_token_hint"))
		if err != nil {
			return Farewell{}, LogoutUnknown.WithCause(err)
		}
		if id != "" && id != hint.ClientID {
			return Farewell{}, LogoutUnknown.WithCause(invalidRequest("id_token_hint was issued to another client"))
		}
		id = hint.ClientID
	}
	client, known := c.Get(id)
	if id != "" && !known && !hinted { // a hint may be of a guest, or of a client that is gone
		return Farewell{}, LogoutUnknown.WithCause(invalidRequest("unknown client"))
	}
	to := query.Get("post_logout_redirect_uri")
	if to == "" {
		return Farewell{Client: client}, nil
	}
	if !slices.Contains(client.LogoutReturns, to) {
		return Farewell{}, LogoutUnknown.WithCause(invalidRequest("post_logout_redirect_uri is not registered"))
	}
	if query.Has("state") {
		to = WithQuery(to, url.Values{"state": {query.Get("state")}})
	}
	return Farewell{client, to}, nil
}

// WithQuery returns a registered address with more parameters.
func WithQuery(uri string, values url.Values) string {
	mark := "?"
	if strings.Contains(uri, "?") {
		mark = "&"
	}
	return uri + mark + values.Encode()
}
