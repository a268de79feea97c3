package server

import (
	"maps"

	"portico/internal/fault"
	"portico/internal/locale"
)

// Words returns the text of a fault in a locale.
func Words(c *locale.Catalogue, loc string, f *fault.Error) string {
	params := f.Params
	if f.RetryAfter > 0 {
		params = with(params, "wait", c.Wait(loc, f.RetryAfter))
	}
	return text(c, loc, f.Code, params)
}

// FieldWords returns the text of a field's fault in a locale.
func FieldWords(c *locale.Catalogue, loc string, f fault.Field) string {
	return text(c, loc, f.Code, f.Params)
}

// text returns the text of a code. The parameter reason names a text below the
// code: error.password.guessable.<reason>. For a reason that a later version has stored,
// it is the text <code>.other.
func text(c *locale.Catalogue, loc, code string, params map[string]string) string {
	key := "error." + code
	if reason, ok := params["reason"]; ok {
		params = with(params, "reason", c.TextOr(loc, key+"."+reason, key+".other", params))
	}
	return c.Text(loc, key, params)
}

func with(params map[string]string, name, value string) map[string]string {
	params = maps.Clone(params)
	if params == nil {
		params = make(map[string]string, 1)
	}
	params[name] = value
	return params
}
