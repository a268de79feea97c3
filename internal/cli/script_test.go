package cli_test

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"portico/internal/app"
	"portico/internal/cli"
	"portico/internal/config"
	"portico/internal/flow"
	"portico/internal/openid"
	"portico/internal/store"
	"portico/internal/store/pgtest"
	"portico/web"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"portico": func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		os.Exit(cli.Run(ctx, cli.Process{
			Program: os.Args[0], Args: os.Args[1:], Environ: os.Environ(),
			Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
			Settings: os.Getenv("PACKAGED"), Documents: filepath.SplitList(os.Getenv("DOCUMENTS")),
		}))
	}})
}

// Each script runs the commands as processes, in a new folder.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			mail := newMailServer(env)
			env.Values["mail"] = mail
			env.Setenv("SMTP", "smtp://"+mail.addr+"?tls=none")
			completions, err := filepath.Abs("../../packaging/completions")
			if err != nil {
				return err
			}
			env.Setenv("COMPLETIONS", completions)
			env.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise each command sleeps for a second under the race detector
			env.Setenv("GOGC", "400")                 // a command ends before a small heap is worth its collections
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "built":
				_, err := fs.Stat(web.Dist, "documents/manifest.json")
				return err == nil, nil
			case "postgres":
				return os.Getenv(pgtest.Server) != "", nil
			}
			return false, errors.New("no such condition")
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "keep": keep, "mode": mode, "signin": signIn, "register": register, "consent": consent, "smtp": serveMail,
			"freeport": freePort, "ready": ready, "visit": visit, "choose": choose,
			// postgres [NAME] puts the URL of an empty database into a
			// variable.
			"postgres": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Setenv(append(args, "PORTICO_DATABASE_URL")[0], pgtest.Empty(t))
			},
		},
	})
}

// exits runs a command that must end with the given code: exits 3 portico user
// delete ...
func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		ended, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = ended.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d; standard error:\n%s", got, want, ts.ReadFile("stderr"))
	}
}

// keep stores the match of a pattern in standard output as a variable: keep ID
// '"id": "(.*)"'
func keep(ts *testscript.TestScript, _ bool, args []string) {
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if found == nil {
		ts.Fatalf("the output does not match %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// mode expects the mode of a file: mode 600 secret.key
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[1]))
	ts.Check(err)
	if got := strconv.FormatInt(int64(info.Mode().Perm()), 8); got != args[0] {
		ts.Fatalf("%s has mode %s, want %s", args[1], got, args[0])
	}
}

// signIn signs a user in from Firefox on Linux, in the database of the folder:
// signin mara@example.com the password
func signIn(ts *testscript.TestScript, _ bool, args []string) {
	a := appOf(ts)
	defer a.Close()
	_, err := a.Flows.SignIn(context.Background(),
		flow.Caller{Peer: "192.0.2.1/32", Locale: "en", Agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"},
		flow.SignInInput{Email: args[0], Password: strings.Join(args[1:], " ")})
	ts.Check(err)
}

// register registers an OpenID client with an initial token, and puts its id into a variable:
// register CLIENT $INITIAL https://app.example.com/cb
func register(ts *testscript.TestScript, _ bool, args []string) {
	a := appOf(ts)
	defer a.Close()
	r, err := a.OpenID.RegisterClient(context.Background(), flow.Caller{Peer: "192.0.2.1/32"}, args[1], []byte(`{"redirect_uris":["`+args[2]+`"]}`))
	ts.Check(err)
	ts.Setenv(args[0], r.ID)
}

// consent stores that a user has agreed to an OpenID client: consent mara@example.com https://app.example.com/client.json
func consent(ts *testscript.TestScript, _ bool, args []string) {
	a := appOf(ts)
	defer a.Close()
	ctx := context.Background()
	user, err := a.Operator.User(ctx, args[0])
	ts.Check(err)
	ts.Check(a.Store.Write(ctx, func(tx *store.Tx) error {
		return tx.SaveConsent(ctx, openid.Consent{AccountID: user.ID, ClientID: args[1], Scopes: []string{"openid"}, GivenAt: time.Now()})
	}))
}

// appOf opens the database of the folder, or that of the script on PostgreSQL, with the public URL of the script.
func appOf(ts *testscript.TestScript) *app.App {
	cfg := config.Default()
	cfg.DatabaseURL = "sqlite:" + ts.MkAbs("portico-data/portico.db")
	if named := ts.Getenv("PORTICO_DATABASE_URL"); strings.HasPrefix(named, "postgres:") {
		cfg.DatabaseURL = named
	}
	cfg.SecretFile = ts.MkAbs("portico-data/secret.key")
	if public := ts.Getenv("PORTICO_PUBLIC_URL"); public != "" {
		var err error
		cfg.PublicURL, err = url.Parse(public)
		ts.Check(err)
	}
	a, err := app.New(context.Background(), cfg, app.Options{Existing: true})
	ts.Check(err)
	return a
}

// serveMail controls the mail server, or waits for it: smtp accept, smtp
// refuse, smtp defer, smtp wait
func serveMail(ts *testscript.TestScript, _ bool, args []string) {
	mail := ts.Value("mail").(*mailServer)
	switch args[0] {
	case "accept", "refuse", "defer":
		mail.refuse.Store(map[string]int32{"accept": 0, "refuse": 550, "defer": 450}[args[0]])
	case "wait":
		select {
		case <-mail.asked:
		case <-time.After(2 * time.Minute):
			ts.Fatalf("no email came within two minutes")
		}
	default:
		ts.Fatalf("smtp %s is not known", args[0])
	}
}
