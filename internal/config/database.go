package config

// CheckDatabaseURL checks a database URL that a command line flag gave, by the
// rules of database_url. The error is of type Problems.
func CheckDatabaseURL(flag, url string) error {
	if _, bad := checkDatabaseURL(url); bad != nil {
		return Problems{{Source: "command line", Key: flag, Why: bad.why, Write: bad.write}}
	}
	return nil
}

// CheckValue checks one value by the rules of a setting, which it names by its
// variable. The error is of type Problems.
func CheckValue(variable, value string) error {
	_, err := load("", nil, []string{variable + "=" + value})
	return err
}
