package openid

// wants returns an Error if the client must prove that it has a key, and a request has
// none.
func (client Client) wants(key string) error {
	if key == "" && client.DPoP {
		return InvalidProof("the request has no DPoP header, which this client needs")
	}
	return nil
}

// mayUse returns an Error unless a request with a key, "" for none, may use the code or
// a refresh token of a grant. A grant that has begun with a key never goes on without
// one. A client with a secret or a key of its own may change it: that proof binds its
// refresh tokens already (RFC 9449 5). The grant of a public client keeps what it has begun with, a key or none: a thief
// who binds it to another one would keep it, because the owner's next use of the same token would not end it.
func (client Client) mayUse(g Grant, key string) error {
	another, redeemed := key != g.Key, !g.RedeemedAt.IsZero()
	switch {
	case key == "" && g.Key != "":
		return InvalidProof("the request has no DPoP header, and the grant belongs to a key")
	case another && g.Key != "" && !redeemed:
		return invalidGrant("the code is for another key: the one that dpop_jkt named in the request")
	case another && client.Public && redeemed:
		return invalidGrant("the refresh token belongs to another key, or to none: sign the user in again")
	}
	return client.wants(key)
}

// InvalidProof returns the Error for a proof of a key that does not count.
func InvalidProof(why string) *Error { return &Error{"invalid_dpop_proof", why} }

// Confirm names the key that a token belongs to (RFC 7800).
type Confirm struct {
	Key string `json:"jkt"` // its thumbprint (RFC 7638)
}

// confirmed adds the key to the claims of a token that belongs to one.
func confirmed(claims map[string]any, key string) map[string]any {
	if key != "" {
		claims["cnf"] = Confirm{key}
	}
	return claims
}
