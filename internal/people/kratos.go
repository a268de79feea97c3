package people

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// kratos is an identity, with its credentials, as the admin API of Ory Kratos lists it.
type kratos struct {
	ID          string          `json:"id"`
	State       string          `json:"state"`
	Traits      json.RawMessage `json:"traits"`
	Created     instant         `json:"created_at"`
	Public      json.RawMessage `json:"metadata_public"`
	Addresses   []kratosAddress `json:"verifiable_addresses"`
	Credentials struct {
		Password *struct {
			Config struct {
				Hash string `json:"hashed_password" secret:"yes" brings:"passwords"`
			} `json:"config"`
		} `json:"password"`
		OIDC *struct {
			Config struct {
				Providers []struct {
					Provider string `json:"provider"`
					Subject  string `json:"subject"`
				} `json:"providers"`
			} `json:"config"`
		} `json:"oidc"`
		TOTP *struct {
			Config struct {
				URL string `json:"totp_url" secret:"yes"`
			} `json:"config"`
		} `json:"totp"`
		Codes *struct {
			Config struct {
				Codes []struct {
					Code string  `json:"code" secret:"yes"`
					Used instant `json:"used_at"`
				} `json:"recovery_codes"`
			} `json:"config"`
		} `json:"lookup_secret"`
		WebAuthn *struct {
			Config kratosKeys `json:"config"`
		} `json:"webauthn"`
		Passkey *struct {
			Config kratosKeys `json:"config"`
		} `json:"passkey"`
	} `json:"credentials"`
}

type kratosAddress struct {
	Value    string `json:"value"`
	Verified bool   `json:"verified"`
	Via      string `json:"via"`
}

type kratosKeys struct {
	Handle string `json:"user_handle"`
	Keys   []struct {
		ID            string   `json:"id"`
		Key           string   `json:"public_key"`
		Name          string   `json:"display_name"`
		Added         instant  `json:"added_at"`
		Alone         bool     `json:"is_passwordless"`
		Ways          []string `json:"transport"`
		Authenticator struct {
			AAGUID string `json:"aaguid"`
			Count  int64  `json:"sign_count"`
		} `json:"authenticator"`
		Flags struct { // earlier versions have none
			Eligible *bool `json:"backup_eligible"`
			BackedUp bool  `json:"backup_state"`
		} `json:"flags"`
	} `json:"credentials"`
}

func kratosPerson(o Options, e *kratos, at *Place) (Person, error) {
	var traits struct {
		Email  string          `json:"email"`
		Name   json.RawMessage `json:"name"` // a text, or its parts
		Locale string          `json:"locale"`
	}
	_ = json.Unmarshal(e.Traits, &traits) // the operator chooses its form
	p := Person{
		Subject: o.subject(e.ID), Email: traits.Email, Name: kratosName(traits.Name), Locale: traits.Locale,
		State: state(e.State == "inactive"), CreatedAt: e.Created.time(), Claims: claims(e.Public),
	}
	for _, a := range e.Addresses {
		switch {
		case a.Via != "" && a.Via != "email":
			at.ignore("verifiable_addresses via " + a.Via)
		case p.Email == "" || strings.EqualFold(a.Value, p.Email):
			p.Email, p.EmailVerified = cmp.Or(p.Email, a.Value), a.Verified
		default:
			p.Addresses = append(p.Addresses, Address{Email: a.Value, Verified: a.Verified})
		}
	}
	c := e.Credentials
	if c.Password != nil {
		p.Password = c.Password.Config.Hash
	}
	if c.OIDC != nil {
		for _, i := range c.OIDC.Config.Providers {
			o.identity(&p, at, i.Provider, i.Subject)
		}
	}
	if c.Codes != nil {
		for _, code := range c.Codes.Config.Codes {
			if code.Used == 0 {
				p.RecoveryCodes = append(p.RecoveryCodes, code.Code)
			}
		}
	}
	if c.WebAuthn != nil {
		c.WebAuthn.Config.add(o, &p, at)
	}
	if c.Passkey != nil {
		c.Passkey.Config.add(o, &p, at)
	}
	if c.TOTP == nil || c.TOTP.Config.URL == "" {
		return p, nil
	}
	app, err := otpauth(c.TOTP.Config.URL)
	if err != nil {
		return p, &Problem{Field: "credentials.totp.config.totp_url", Reason: err.Error()}
	}
	p.TOTP = append(p.TOTP, app)
	return p, nil
}

func kratosName(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts struct {
		First string `json:"first"`
		Last  string `json:"last"`
	}
	_ = json.Unmarshal(raw, &parts) // another form has no name
	return full(parts.First, parts.Last)
}

func (k kratosKeys) add(o Options, p *Person, at *Place) {
	for _, key := range k.Keys {
		if !key.Alone {
			at.ignore(secondOnly)
			continue
		}
		o.passkey(p, at, Passkey{
			ID: urlSafe(key.ID), PublicKey: urlSafe(key.Key), SignCount: key.Authenticator.Count, AAGUID: uuidOf(key.Authenticator.AAGUID),
			BackupEligible: key.Flags.Eligible, BackedUp: key.Flags.BackedUp, Transports: key.Ways,
			UserHandle: urlSafe(k.Handle), Name: key.Name, CreatedAt: key.Added.time(),
		})
	}
}

// uuidOf writes 16 bytes in base64 as a UUID.
func uuidOf(text string) string {
	b, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(b) != 16 {
		return text
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// What of passkeys is left out.
const (
	secondOnly = "security keys that are only a second factor" // their authenticators do not find them for a sign-in
	noHandle   = "passkeys whose user handle the former system does not tell"
)

// passkey adds a passkey, whose export does not name its RP ID: the parameter rp_id does.
func (o Options) passkey(p *Person, at *Place, key Passkey) {
	key.RPID = cmp.Or(key.RPID, o.Parameters["rp_id"])
	switch {
	case key.UserHandle == "":
		at.ignore(noHandle)
		return
	case key.RPID == "":
		at.ignore("passkey without the parameter rp_id")
		return
	}
	p.Passkeys = append(p.Passkeys, key)
}

// otpauth reads the address in the QR code of an authenticator app.
func otpauth(text string) (TOTP, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" {
		return TOTP{}, fmt.Errorf("must begin with otpauth://totp/")
	}
	q := u.Query()
	app := TOTP{Secret: q.Get("secret"), Algorithm: q.Get("algorithm")}
	for name, into := range map[string]*int{"digits": &app.Digits, "period": &app.Period} {
		if v := q.Get(name); v != "" {
			if *into, err = strconv.Atoi(v); err != nil {
				return TOTP{}, fmt.Errorf("%s: must be a whole number", name)
			}
		}
	}
	return app, nil
}
