package config

import "portico/internal/legible"

// ParseDatabaseURL reads a database URL that a command line flag gave, by the
// rules of database_url. The error is of type Problems.
func ParseDatabaseURL(flag, url string) (string, error) {
	url, bad := checkDatabaseURL(legible.Trim(url))
	if bad != nil {
		return "", Problems{{Source: "command line", Key: flag, Why: bad.why, Write: bad.write}}
	}
	return url, nil
}

// OfValue returns the settings of an installation that sets one value, which it names by its
// variable. The error is of type Problems.
func OfValue(variable, value string) (Config, error) {
	return load("", nil, []string{variable + "=" + value})
}
