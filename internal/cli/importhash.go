package cli

import (
	"errors"

	"portico/internal/password"
)

// usableHash returns the function that judges the hash of a password.
func usableHash(s *password.Service) func(text string) error {
	return func(text string) error {
		if !s.Ours(text) {
			return errors.New("is of a form that Portico does not know, or was made with another key")
		}
		return nil
	}
}
