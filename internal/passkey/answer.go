package passkey

import (
	"fmt"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"portico/internal/secret"
)

// Limits of the parts of an answer, in characters of base64. A credential's id has at most
// 1023 bytes (WebAuthn 5.1).
const (
	maxID          = 1364
	maxClientData  = 4 << 10
	maxAuthData    = 4 << 10
	maxSignature   = 2 << 10
	maxHandle      = 86
	maxAttestation = 16 << 10
	maxTransports  = 100
)

// Answer is what an authenticator answered to a challenge. Its parts are base64url
// without padding, as browsers' JSON has them. Creation has Attestation and
// Transports, use has the other three.
type Answer struct {
	Credential  string
	ClientData  string
	AuthData    string
	Signature   string
	Handle      string
	Attestation string
	Transports  string // with spaces between
}

// parts decodes base64url parts, each with its limit.
func parts(texts ...part) ([][]byte, error) {
	var decoded [][]byte
	for _, t := range texts {
		b, ok := secret.Decode(t.text)
		if !ok || len(b) == 0 || len(t.text) > t.most {
			return nil, Refused.WithCause(fmt.Errorf("the %s is malformed or too long", t.name))
		}
		decoded = append(decoded, b)
	}
	return decoded, nil
}

type part struct {
	name, text string
	most       int
}

// Use is a parsed answer to a challenge of the purpose SignIn.
type Use struct {
	parsed *protocol.ParsedCredentialAssertionData
}

// ParseUse parses an answer without checking it, or returns Refused.
func ParseUse(a Answer) (Use, error) {
	b, err := parts(part{"credential", a.Credential, maxID}, part{"client data", a.ClientData, maxClientData},
		part{"authenticator data", a.AuthData, maxAuthData}, part{"signature", a.Signature, maxSignature}, part{"user handle", a.Handle, maxHandle})
	if err != nil {
		return Use{}, err
	}
	parsed, err := protocol.CredentialAssertionResponse{
		PublicKeyCredential: credential(a.Credential, b[0]),
		AssertionResponse: protocol.AuthenticatorAssertionResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: b[1]},
			AuthenticatorData:     b[2], Signature: b[3], UserHandle: b[4],
		},
	}.Parse()
	if err != nil {
		return Use{}, Refused.WithCause(err)
	}
	return Use{parsed}, strict(b[1], parsed.Response.CollectedClientData.Origin, parsed.Response.AuthenticatorData.Flags)
}

func credential(id string, raw []byte) protocol.PublicKeyCredential {
	return protocol.PublicKeyCredential{Credential: protocol.Credential{ID: id, Type: string(protocol.PublicKeyCredentialType)}, RawID: raw}
}

// Challenge returns the challenge that was answered.
func (u Use) Challenge() string { return u.parsed.Response.CollectedClientData.Challenge }

// Credential returns the id of the passkey at its authenticator.
func (u Use) Credential() []byte { return u.parsed.RawID }

// Check checks an answer with the passkey that it names, and returns the passkey
// as it is after this use. Suspect means that its counter did not grow, which
// happens when there is a copy. It returns Unproven for an answer without user
// verification, and Refused for every other wrong answer.
//
// The caller has used up the challenge.
func (k *Keeper) Check(u Use, p Passkey) (used Passkey, suspect bool, err error) {
	if p.Host != k.host {
		return p, false, Refused.WithCause(fmt.Errorf("the passkey is for %s", p.Host))
	}
	flags := u.parsed.Response.AuthenticatorData.Flags
	if p.Copied && !p.Copies {
		p.Copies = flags.HasBackupEligible() // the signature covers it
	}
	owner := holder{handle: p.Handle, held: []webauthn.Credential{{
		ID: p.Credential, PublicKey: p.PublicKey, Flags: webauthn.CredentialFlags{UserVerified: true, BackupEligible: p.Copies, BackupState: p.Copied},
		Authenticator: webauthn.Authenticator{SignCount: uint32(p.Counter)},
	}}}
	_, after, err := k.party.ValidatePasskeyLogin(
		func(_, _ []byte) (webauthn.User, error) { return owner, nil },
		webauthn.SessionData{Challenge: u.Challenge(), UserVerification: protocol.VerificationRequired}, u.parsed)
	if err != nil && flags.HasUserPresent() && !flags.HasUserVerified() {
		return p, false, Unproven.WithCause(err)
	}
	if err != nil {
		return p, false, Refused.WithCause(err)
	}
	p.Counter, p.Copied = max(p.Counter, int64(after.Authenticator.SignCount)), after.Flags.BackupState
	p.UsedAt = k.clock.Now()
	return p, after.Authenticator.CloneWarning, nil
}

// holder is an account as the library sees it.
type holder struct {
	handle []byte
	held   []webauthn.Credential
}

func (h holder) WebAuthnID() []byte                         { return h.handle }
func (h holder) WebAuthnName() string                       { return "" }
func (h holder) WebAuthnDisplayName() string                { return "" }
func (h holder) WebAuthnCredentials() []webauthn.Credential { return h.held }

// Creation is a parsed answer to a challenge of the purpose Add.
type Creation struct {
	parsed     *protocol.ParsedCredentialCreationData
	transports []string
}

// ParseCreation parses an answer without checking it, or returns Refused.
func ParseCreation(a Answer) (Creation, error) {
	b, err := parts(part{"credential", a.Credential, maxID}, part{"client data", a.ClientData, maxClientData}, part{"attestation", a.Attestation, maxAttestation})
	if err != nil {
		return Creation{}, err
	}
	parsed, err := protocol.CredentialCreationResponse{
		PublicKeyCredential: credential(a.Credential, b[0]),
		AttestationResponse: protocol.AuthenticatorAttestationResponse{
			AuthenticatorResponse: protocol.AuthenticatorResponse{ClientDataJSON: b[1]}, AttestationObject: b[2],
		},
	}.Parse()
	if err != nil {
		return Creation{}, Refused.WithCause(err)
	}
	return Creation{parsed, transports(a.Transports)}, strict(b[1], parsed.Response.CollectedClientData.Origin, parsed.Response.AttestationObject.AuthData.Flags)
}

// transports returns the known words of a list. Browsers cannot use others.
func transports(text string) []string {
	known := []string{}
	if len(text) > maxTransports {
		return known
	}
	for _, word := range []string{"usb", "nfc", "ble", "smart-card", "hybrid", "internal"} {
		if strings.Contains(" "+text+" ", " "+word+" ") {
			known = append(known, word)
		}
	}
	return known
}

// Challenge returns the challenge that was answered.
func (c Creation) Challenge() string { return c.parsed.Response.CollectedClientData.Challenge }

// Accept checks the answer and returns the new passkey of an account with the user
// handle, without its id. It returns Refused for every wrong answer. A browser that
// answers a challenge of the purpose Quiet need not have verified its user
// (WebAuthn 7.1): such an answer proves nothing.
//
// The caller has used up the challenge.
func (k *Keeper) Accept(c Creation, p Purpose, accountID string, handle []byte) (Passkey, error) {
	owner := holder{handle: handle}
	asked := webauthn.SessionData{
		Challenge: c.Challenge(), UserID: owner.handle, UserVerification: protocol.VerificationRequired, CredParams: offered(),
	}
	if p == Quiet {
		asked.UserVerification, asked.Mediation = protocol.VerificationPreferred, protocol.MediationConditional
	}
	made, err := k.party.CreateCredential(owner, asked, c.parsed)
	if err == nil {
		err = checkKey(made.PublicKey)
	}
	if err != nil {
		return Passkey{}, Refused.WithCause(err)
	}
	model := modelOf(made.Authenticator.AAGUID)
	now := k.clock.Now()
	return Passkey{
		AccountID: accountID, Credential: made.ID, PublicKey: made.PublicKey, Handle: handle, Host: k.host, Name: ModelName(model), Model: model,
		Transports: c.transports, Counter: int64(made.Authenticator.SignCount),
		Copies: made.Flags.BackupEligible, Copied: made.Flags.BackupState, CreatedAt: now, UsedAt: now,
	}, nil
}

// Algorithms are the signatures that a passkey may have, the preferred first: ES256,
// Ed25519, and RS256 for Windows Hello.
func Algorithms() []int {
	return []int{int(webauthncose.AlgES256), int(webauthncose.AlgEdDSA), int(webauthncose.AlgRS256)}
}

func offered() []protocol.CredentialParameter {
	var list []protocol.CredentialParameter
	for _, a := range Algorithms() {
		list = append(list, protocol.CredentialParameter{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.COSEAlgorithmIdentifier(a)})
	}
	return list
}

// Sizes of an RSA key in bytes.
const (
	leastRSA = 256
	mostRSA  = 512
)

// checkKey refuses RSA keys that are weak, or whose checks take long.
func checkKey(public []byte) error {
	parsed, err := webauthncose.ParsePublicKey(public)
	if err != nil {
		return err
	}
	key, ok := parsed.(webauthncose.RSAPublicKeyData)
	if !ok {
		return nil
	}
	exponent := 0
	for _, b := range key.Exponent {
		exponent = exponent<<8 | int(b)
	}
	if n := len(key.Modulus); n < leastRSA || n > mostRSA || len(key.Exponent) > 4 || exponent < 65537 || exponent%2 == 0 {
		return fmt.Errorf("an RSA key of %d bytes with the exponent %d is not accepted", n, exponent)
	}
	return nil
}
