package password

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"portico/internal/fault"
	"portico/internal/password/argon2"
)

// Policy is what the settings ask of new passwords: their length, in code points after
// NFC. Passwords in use stay valid when it changes.
type Policy struct {
	Min int // 8 to 64
	Max int // 64 to 256
}

// standard is the default (ASVS 6.2.1, 6.2.9).
func standard() Policy { return Policy{Min: 8, Max: longest} }

// Profile returns the policy of a name: "standard", or "nist" for
// installations in which the password is the only factor (NIST SP 800-63B-4
// 3.1.1.2).
func Profile(name string) (Policy, bool) {
	switch name {
	case "standard":
		return standard(), true
	case "nist":
		return Policy{Min: 15, Max: longest}, true
	}
	return Policy{}, false
}

func (p Policy) check() error {
	if p.Min < 8 || p.Min > 64 {
		return fmt.Errorf("password: a shortest length of %d: write a number from 8 to 64", p.Min)
	}
	if p.Max < 64 || p.Max > longest {
		return fmt.Errorf("password: a longest length of %d: write a number from 64 to %d", p.Max, longest)
	}
	return nil
}

// Check returns the fault of the field password when the password may not be
// chosen, else nothing. about is what is known of the person (the address, the
// name); the service knows the names of the site. The error is the one of
// admission, as with Hash.
func (s *Service) Check(ctx context.Context, password string, about ...string) ([]fault.Field, error) {
	text, fields := normalise(password)
	if fields != nil {
		return fields, nil
	}
	switch length := utf8.RuneCountInString(text); {
	case length < s.policy.Min:
		return refuse(CodeTooShort, count(s.policy.Min)), nil
	case length > s.policy.Max:
		return refuse(CodeTooLong, count(s.policy.Max)), nil
	case s.breached.Contains(text):
		return refuse(CodeBreached, nil), nil
	}
	words := contextWords(slices.Concat(about, s.names))
	err := s.slots.do(ctx, func(*argon2.Arena) error {
		fields = s.judge(text, words)
		return nil
	})
	return fields, err
}
