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

// LogoutStore has the operations of the database for the end of sessions.
type LogoutStore interface {
	// EndGrantsOf ends the grants of one session of the account. Without offline it ends none that
	// outlives its session. It returns every grant of the session whose code was redeemed.
	EndGrantsOf(ctx context.Context, accountID, sessionID string, offline bool, now time.Time) ([]Ended, error)
	// EndGrantsBeside ends all grants of the account but those of one session, also the grants of
	// sessions that are gone. It returns those whose code was redeemed, and those of the sessions that are there.
	EndGrantsBeside(ctx context.Context, accountID, keep string, now time.Time) ([]Ended, error)
	// OfflineSessions returns the sessions of the account with grants in use that outlive them.
	OfflineSessions(ctx context.Context, accountID string, now time.Time) ([]string, error)
}

// SignOut ends what clients have obtained from one session, which is about to end. Without offline, what was
// meant to outlive the session does. It returns each client once for each name that it knows the session by.
func (k *Keeper) SignOut(ctx context.Context, tx LogoutStore, accountID, sessionID string, offline bool) ([]Ended, error) {
	list, err := tx.EndGrantsOf(ctx, accountID, sessionID, offline, k.clock.Now())
	return once(list), err
}

// SignOutAll ends all that clients have obtained from an account, but for one session: also what has outlived
// its session, or a thief would keep it.
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
	switch {
	case to == "":
		return Farewell{Client: client}, nil
	case id == "":
		return Farewell{}, LogoutUnknown.WithCause(invalidRequest("post_logout_redirect_uri needs id_token_hint or client_id"))
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
