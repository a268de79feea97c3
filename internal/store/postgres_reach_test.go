package store_test

import (
	"net"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"

	"portico/internal/store"
)

// answering returns the address of a server without TLS that answers every
// client with an error. With the code "" it hangs up.
func answering(t *testing.T, code string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var served sync.WaitGroup
	t.Cleanup(func() { _ = l.Close(); served.Wait() })
	served.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			served.Go(func() { refuse(conn, code) })
		}
	})
	return l.Addr().String()
}

func refuse(conn net.Conn, code string) {
	defer conn.Close()
	server := pgproto3.NewBackend(conn, conn)
	for {
		message, err := server.ReceiveStartupMessage()
		if err != nil || code == "" {
			return
		}
		if _, asked := message.(*pgproto3.SSLRequest); asked {
			_, _ = conn.Write([]byte("N"))
			continue
		}
		server.Send(&pgproto3.ErrorResponse{Severity: "FATAL", SeverityUnlocalized: "FATAL", Code: code, Message: "no"})
		_ = server.Flush()
		return
	}
}

// A server that is away, starts, stops or is full comes back by itself. An
// error that an operator must fix does not, and no other error hides it.
func TestComesBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		url   string
		comes bool
	}{
		"nobody listens":       {"postgres://p@127.0.0.1:1/portico?sslmode=disable", true},
		"no name":              {"postgres://p@nobody.invalid/portico?sslmode=disable", true},
		"no socket":            {"postgres://p@/portico?host=/nowhere", true},
		"hangs up":             {"postgres://p@" + answering(t, "") + "/portico?sslmode=disable", true},
		"hangs up on TLS":      {"postgres://p@" + answering(t, "") + "/portico?sslmode=require", true},
		"starting up":          {"postgres://p@" + answering(t, "57P03") + "/portico?sslmode=prefer", true},
		"shutting down":        {"postgres://p@" + answering(t, "57P01") + "/portico?sslmode=disable", true},
		"too many connections": {"postgres://p@" + answering(t, "53300") + "/portico?sslmode=prefer", true},
		"wrong password":       {"postgres://p@" + answering(t, "28P01") + "/portico?sslmode=prefer", false},
		"not let in":           {"postgres://p@" + answering(t, "28000") + "/portico?sslmode=disable", false},
		"no such database":     {"postgres://p@" + answering(t, "3D000") + "/portico?sslmode=disable", false},
		"dropped":              {"postgres://p@" + answering(t, "57P04") + "/portico?sslmode=disable", false},
		"no TLS":               {"postgres://p@" + answering(t, "57P03") + "/portico?sslmode=require", false},
		"one of two":           {"postgres://p@127.0.0.1:1," + answering(t, "28P01") + "/portico?sslmode=disable", false},
		"a URL that is wrong":  {"postgres://p@127.0.0.1:1/portico?sslmode=nope", false},
	} {
		err := store.Reach(t.Context(), c.url)
		if err == nil || store.ComesBack(err) != c.comes {
			t.Errorf("%s: %v; comes back: %t, want %t", name, err, !c.comes, c.comes)
		}
		if advised, want := strings.HasSuffix(err.Error(), ": check database_url, and that the database is running"), c.comes && !strings.Contains(err.Error(), "SQLSTATE"); advised != want {
			t.Errorf("%s: %v; says what to do: %t, want %t", name, err, advised, want)
		}
	}
	_, err := os.Open(t.TempDir() + "/nothing")
	if store.ComesBack(err) {
		t.Error("a file that is not there, as that of a certificate, is taken for a server that is away")
	}
	if store.ComesBack(nil) || store.ComesBack(store.ErrSchemaNewer) {
		t.Error("an error that is no failure to connect counts as temporary")
	}
}

// The reason comes before the remark that the server has no TLS.
func TestReach_Reason(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]bool{"prefer": false, "require": true} {
		url := "postgres://p:hush@" + answering(t, "28P01") + "/portico?sslmode=" + mode
		db, err := store.Open(t.Context(), store.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for what, err := range map[string]error{"Reach": store.Reach(t.Context(), url), "Ping": db.Ping(t.Context())} {
			text := ""
			for ; err != nil; err = unwrapped(err) {
				text += err.Error() + "\n"
				if strings.Contains(text, "failed to connect") {
					break
				}
			}
			if strings.Contains(text, "tls error") != want || strings.Contains(text, "28P01") == want || strings.Contains(text, "hush") {
				t.Errorf("%s with sslmode=%s: %s", what, mode, text)
			}
		}
	}
}

func unwrapped(err error) error {
	if inner, ok := err.(interface{ Unwrap() error }); ok {
		return inner.Unwrap()
	}
	return nil
}
