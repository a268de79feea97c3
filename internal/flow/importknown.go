package flow

import (
	"context"
	"errors"

	"portico/internal/account"
	"portico/internal/people"
)

// Known is a person of a file whose password is known. Hashes of wrong parameters would otherwise be found by those who cannot
// sign in after the import.
type Known struct {
	Email    string `json:"email"` // "" for nobody
	Password string `json:"password"`
}

// ErrKnownMissing means that the known person is not in the file.
var ErrKnownMissing = errors.New("nobody in it has the address whose password is known")

// Is reports whether an entry is that of the known person.
func (k Known) Is(p people.Person) bool {
	wanted, bad := account.ParseAddress(k.Email, "")
	has, unlike := account.ParseAddress(p.Email, "")
	return bad == nil && unlike == nil && has.Key == wanted.Key
}

// Fits returns why the password of a known person does not fit the hash that a reader has made of the entry.
//
// Faults: those of password.Service.Verify.
func (f *Operator) Fits(ctx context.Context, k Known, p people.Person) error {
	if p.Password == "" {
		return errors.New("the person whose password is known has none in the file")
	}
	stored, _, err := f.passwords.Adopt(p.Password)
	if err != nil {
		return err
	}
	ok, _, err := f.passwords.Verify(ctx, stored, k.Password)
	if err == nil && !ok {
		err = errors.New("the known password does not fit its hash: check the password, and the parameters of the hashes")
	}
	return err
}

// checkKnown checks the password of the known person once.
func (r *reading) checkKnown(ctx context.Context, p people.Person, bad *people.Problem) error {
	if r.known.Email == "" || !r.known.Is(p) {
		return nil
	}
	known := r.known
	r.known = Known{}
	if bad != nil {
		return BadImport("known_email", bad)
	}
	if err := r.Fits(ctx, known, p); err != nil {
		return inFile("known_password", err)
	}
	return nil
}
