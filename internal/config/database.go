package config

// CheckDatabaseURL returns the Problems of a database URL that a flag of the
// command line has given, by the rules of database_url.
func CheckDatabaseURL(flag, url string) error {
	if _, bad := checkDatabaseURL(url); bad != nil {
		return Problems{{Source: "command line", Key: flag, Why: bad.why, Write: bad.write}}
	}
	return nil
}
