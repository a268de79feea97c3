package store_test

import (
	"strings"
	"testing"

	"portico/internal/store"
)

// CheckURL finds errors of serve without a server, and shows no password.
func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, want string }{
		{"sslmode=nope", "sslmode"},
		{"target_session_attrs=rw", "target_session_attrs"},
		{"sslrootcert=/nope", "CA"},
		{"sslrootcert=/", "sslrootcert of the database URL is not a regular file"},
		{"answer_within=5x", `answer_within is "5x"`},
		{"answer_within=-1s", `answer_within is "-1s"`},
		{"pool_max_conns=abc", "pool_max_conns"},
		{"pool_max_conns=1", "pool_max_conns is 1, and a node needs two"},
		{"pool_max_conn_lifetime=abc", "pool_max_conn_lifetime"},
		{"default_query_exec_mode=x", "default_query_exec_mode"},
		{"foo=bar", `"foo" is not a connection parameter`},
		{"ssl_mode=require", `"ssl_mode" is not a connection parameter`},
		{"", ""},
		{"sslmode=disable&answer_within=3s&pool_max_conns=4&search_path=p&statement_timeout=5s&a.b=c", ""},
		{"options=-c%20foo%3Dbar&target_session_attrs=read-write&default_query_exec_mode=exec", ""},
	} {
		err := store.CheckURL("postgres://me:hush@127.0.0.1/portico?" + c.query)
		switch {
		case err == nil && c.want != "" || err != nil && c.want == "":
			t.Errorf("%s: %v", c.query, err)
		case err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hush") || strings.Contains(err.Error(), "127.0.0.1")):
			t.Errorf("%s: %v, want %s and nothing else of the URL", c.query, err, c.want)
		}
	}
	if err := store.CheckURL("sqlite:portico.db"); err != nil {
		t.Error(err)
	}
}
