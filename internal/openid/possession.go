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
// refresh tokens already (RFC 9449 5). A thief who could bind the grant of a public client to a key would keep it: the owner's
// next use of the old token would be refused for its key and would not end the grant.
func (client Client) mayUse(g Grant, key string) error {
	redeemed := !g.RedeemedAt.IsZero()
	switch {
	case g.Key != "" && key == "":
		return InvalidProof("the request has no DPoP header, and the grant belongs to a key")
	case g.Key != "" && key != g.Key && !redeemed:
		return invalidGrant("the code is for another key: the one that dpop_jkt named in the request")
	case g.Key != "" && key != g.Key && client.Public:
		return invalidGrant("the refresh token belongs to another key")
	case g.Key == "" && key != "" && client.Public && redeemed:
		return invalidGrant("the grant began without a key: sign the user in again to use one")
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
