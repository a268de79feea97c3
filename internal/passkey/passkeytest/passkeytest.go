// Package passkeytest is an authenticator in software, for tests. Each of its
// answers can be wrong in one way.
//
// It does not check what a site asks for.
package passkeytest

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"slices"

	"portico/internal/passkey"
	"portico/internal/secret"
)

// Flags of authenticator data (WebAuthn 6.1).
const (
	Present  = 1 << 0
	Verified = 1 << 2
	Copies   = 1 << 3
	Copied   = 1 << 4
	attested = 1 << 6
)

// Model is the AAGUID of the authenticator.
const Model = "d548826e-79b4-db40-a3d8-11116f7e8349"

// Authenticator has one passkey. Its fields may be changed before each answer.
type Authenticator struct {
	ID      []byte
	Handle  []byte
	Key     *ecdsa.PrivateKey
	Counter uint32
	Flags   byte

	Host   string
	Origin string
	Type   string         // of the client data; "" for the right one
	More   map[string]any // more members of the client data
	Sign   func(signed []byte) []byte
	COSE   []byte // public key in place of the right one
	Client func(client []byte) []byte

	Format    string // of the attestation; "" for none
	Statement []byte // of the attestation, in CBOR; nil for an empty one
}

// New returns an authenticator with a new passkey for an origin.
func New(host, origin string, handle []byte) *Authenticator {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // the source of random bytes never fails
	}
	id := make([]byte, 32)
	_, _ = rand.Read(id)
	return &Authenticator{ID: id, Handle: handle, Key: key, Flags: Present | Verified, Host: host, Origin: origin}
}

// Create answers a challenge with the new passkey.
func (a *Authenticator) Create(challenge string) passkey.Answer {
	aaguid := []byte{0xd5, 0x48, 0x82, 0x6e, 0x79, 0xb4, 0xdb, 0x40, 0xa3, 0xd8, 0x11, 0x11, 0x6f, 0x7e, 0x83, 0x49}
	data := slices.Concat(a.data(attested), aaguid, binary.BigEndian.AppendUint16(nil, uint16(len(a.ID))), a.ID, a.PublicKey())
	statement := a.Statement
	if statement == nil {
		statement = []byte{0xa0}
	}
	object := slices.Concat([]byte{0xa3}, text("fmt"), text(cmp.Or(a.Format, "none")), text("attStmt"), statement, text("authData"), bytesOf(data))
	return passkey.Answer{
		Credential: secret.Encode(a.ID), ClientData: secret.Encode(a.client("webauthn.create", challenge)),
		Attestation: secret.Encode(object), Transports: "internal hybrid",
	}
}

// Use answers a challenge with the passkey. Its counter grows before.
func (a *Authenticator) Use(challenge string) passkey.Answer {
	client, data := a.client("webauthn.get", challenge), a.data(0)
	sum := sha256.Sum256(client)
	signed := slices.Concat(data, sum[:])
	signature := a.sign(signed)
	if a.Sign != nil {
		signature = a.Sign(signed)
	}
	return passkey.Answer{
		Credential: secret.Encode(a.ID), ClientData: secret.Encode(client), AuthData: secret.Encode(data),
		Signature: secret.Encode(signature), Handle: secret.Encode(a.Handle),
	}
}

func (a *Authenticator) sign(signed []byte) []byte {
	sum := sha256.Sum256(signed)
	signature, err := ecdsa.SignASN1(rand.Reader, a.Key, sum[:])
	if err != nil {
		panic(err)
	}
	return signature
}

func (a *Authenticator) data(more byte) []byte {
	host := sha256.Sum256([]byte(a.Host))
	return slices.Concat(host[:], []byte{a.Flags | more}, binary.BigEndian.AppendUint32(nil, a.Counter))
}

func (a *Authenticator) client(kind, challenge string) []byte {
	if a.Type != "" {
		kind = a.Type
	}
	members := map[string]any{"type": kind, "challenge": challenge, "origin": a.Origin, "crossOrigin": false}
	for name, value := range a.More {
		members[name] = value
	}
	b, err := json.Marshal(members)
	if err != nil {
		panic(err)
	}
	if a.Client != nil {
		return a.Client(b)
	}
	return b
}

// PublicKey returns the public key as sites store it.
func (a *Authenticator) PublicKey() []byte {
	if a.COSE != nil {
		return a.COSE
	}
	return ec2(a.Key, []byte{0x26}, 1)
}

// ES384 returns a valid public key of an algorithm that Portico does not offer.
func ES384() []byte {
	key, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		panic(err)
	}
	return ec2(key, []byte{0x38, 0x22}, 2)
}

// ec2 writes a public key of kind EC2: algorithm, curve, x, y.
func ec2(key *ecdsa.PrivateKey, algorithm []byte, curve byte) []byte {
	public, err := key.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	x, y := public[1:1+len(public)/2], public[1+len(public)/2:]
	return slices.Concat([]byte{0xa5, 0x01, 0x02, 0x03}, algorithm, []byte{0x20, curve, 0x21}, bytesOf(x), []byte{0x22}, bytesOf(y))
}

// Twice repeats the first member of client data. Parsers differ in which one counts.
func Twice(client []byte) []byte {
	first, _, _ := bytes.Cut(client, []byte(","))
	return append(append(first, ','), client[1:]...)
}

// text and bytesOf write CBOR.
func text(s string) []byte { return append([]byte{0x60 | byte(len(s))}, s...) }

func bytesOf(b []byte) []byte {
	if len(b) < 256 {
		return append([]byte{0x58, byte(len(b))}, b...)
	}
	return append(binary.BigEndian.AppendUint16([]byte{0x59}, uint16(len(b))), b...)
}
