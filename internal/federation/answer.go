package federation

import (
	"errors"
	"fmt"
	"net/url"
)

// answer is the provider's response through the browser. Anyone can forge it, so it
// counts only after the code is redeemed.
type answer struct {
	state  string
	code   string
	err    string // the error code of RFC 6749 4.1.2.1 and OpenID Connect Core 3.1.2.6
	detail string
	issuer string // RFC 9207
	user   string // apple only
}

// readAnswer reads the known parameters of the callback. It refuses a parameter
// that is sent twice or is longer than any provider needs.
func readAnswer(callback url.Values) (answer, error) {
	var a answer
	for _, f := range []struct {
		name  string
		limit int
		value *string
	}{
		{"state", 512, &a.state},
		{"code", 4096, &a.code},
		{"error", 128, &a.err},
		{"error_description", 4096, &a.detail},
		{"iss", 1024, &a.issuer},
		{"user", 4096, &a.user},
	} {
		values := callback[f.name]
		if len(values) > 1 {
			return answer{}, fmt.Errorf("the callback has the parameter %s %d times", f.name, len(values))
		}
		if len(values) == 1 {
			*f.value = values[0]
		}
		if len(*f.value) > f.limit {
			return answer{}, fmt.Errorf("the callback's %s is too long, with %d bytes", f.name, len(*f.value))
		}
	}
	return a, nil
}

// verdict returns nil when the answer comes from the provider with this
// metadata and holds a code. It checks the issuer before the error: another
// provider must not end the attempt with an error of its own.
func (a answer) verdict(meta metadata) error {
	if a.issuer == "" && meta.promisesIssuer {
		return errors.New("the callback lacks the parameter iss that the metadata promises")
	}
	if a.issuer != "" && !meta.issuedBy(a.issuer) {
		return fmt.Errorf("the callback names another issuer, %.256q", a.issuer)
	}
	switch a.err {
	case "":
	case "access_denied", "user_cancelled_authorize", "user_cancelled_login": // the last two: apple, linkedin
		return errCancelled
	case "server_error", "temporarily_unavailable":
		return &outage{cause: fmt.Errorf("the provider answered %s: %.256q", a.err, a.detail)}
	default:
		return fmt.Errorf("the provider answered %.128q: %.256q", a.err, a.detail)
	}
	if a.code == "" {
		return errors.New("the callback has neither a code nor an error")
	}
	return nil
}
