package config

// CheckDatabaseURL checks a database URL that a command line flag gave, by the
// rules of database_url. The error is of type Problems.
func CheckDatabaseURL(flag, url string) error {
	if _, bad := checkDatabaseURL(url); bad != nil {
		return Problems{{Source: "command line", Key: flag, Why: bad.why, Write: bad.write}}
	}
	return nil
}

// OfValue returns the settings of an installation that sets one value, which it names by its
// variable. The error is of type Problems.
func OfValue(variable, value string) (Config, error) {
	return load("", nil, []string{variable + "=" + value})
}
