package cli

import "testing"

// The hashes of other programs are not taken for passwords, and passwords of people are.
func TestHashed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW":                                  true,
		"$2y$10$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW":                                  true,
		"{bcrypt}$2a$10$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW":                          true,
		"bcrypt_sha256$$2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW":                    true,
		"$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WdvEjXcBEHpGN7WbMnsDqyM":        true,
		"argon2$argon2id$v=19$m=102400,t=2,p=8$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WdvEjXcBEHpGN7WbMnsDqyM": true,
		"pbkdf2_sha256$600000$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WdvEjXcBEHpGN7WbMnsDqyM=":                 true,
		"pbkdf2:sha256:600000$c29tZXNhbHQ$5e884898da28047151d0e56f8dc6292773603d0d6aabbdd6":             true,
		"scrypt:32768:8:1$c29tZXNhbHQ$5e884898da28047151d0e56f8dc6292773603d0d6aabbdd6":                 true,
		"$pbkdf2-sha512$25000$c29tZXNhbHQ$RdescudvJCsgt3ub":                                             true,
		"$6$c29tZXNhbHQ$RdescudvJCsgt3ubRdescudvJCsgt3ub":                                               true,
		"$y$j9T$c29tZXNhbHQ$RdescudvJCsgt3ubRdescudvJCsgt3ub":                                           true,
		"$P$B7hGqP6Wb1nQ0yQn0KpY8v8yqkX0u1.":                                                            true,
		"{SSHA}RdescudvJCsgt3ubRdescudvJCsgt3ub":                                                        true,
		"{CRYPT}$6$c29tZXNhbHQ$RdescudvJCsgt3ubRdescudvJCsgt3ub":                                        true,
		"$scrypt$ln=16,r=8,p=1$c29tZXNhbHQ$RdescudvJCsgt3ubRdescudvJCsgt3ub":                            true,
		"$bcrypt-sha256$v=2,t=2b,r=12$R9h/cIPz0gi.URNNX3kh2O$PST9/PgBkqquzi.Ss7KIUgO2t0jWMUW":           true,
		"$apr1$c29tZXNh$RdescudvJCsgt3ubRdescu":                                                         true,
		"{SMD5}RdescudvJCsgt3ubRdescudvJCsgt3ub":                                                        true,
		"{PBKDF2-SHA512}10000$c29tZXNhbHQ$RdescudvJCsgt3ub":                                             true,
		"{CRYPT}rl0uE8mLSyEGw": true,
		"mine: $2b$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW": false,
		"{SSHA}RdescudvJCsgt3ubRdescudvJCsgt3ub is in the directory":         false,
		"scrypt:some$thing":                       false,
		"copper lantern over seven hills":         false,
		"$2b$ or not to be, that is the question": false,
		"scrypt is a good function for passwords": false,
		"a$1$short":                             false,
		"{SHA} of nothing at all, said the fox": false,
		"pa$$word$with$many$dollars$inside$it":  false,
	} {
		if hashed.MatchString(text) != want {
			t.Errorf("%s is taken for a hash: %v", text, !want)
		}
	}
}
