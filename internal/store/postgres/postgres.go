package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"

	"portico/internal/file"
	"portico/internal/store/engine"
)

const (
	// answerIn bounds all reads and writes of one request, retries included, so
	// that a visitor gets a response within two seconds. Work outside a request
	// has the same limit for each operation. The URL can change it (patience).
	answerIn = 1400 * time.Millisecond
	patience = "answer_within"
	// cancelIn is how long the database may take to stop a statement before its
	// connection is closed.
	cancelIn = 100 * time.Millisecond

	// connectIn exceeds the time of a request on purpose: a late connection is
	// kept for the next request.
	connectIn = 3 * time.Second
	// connectEachIn replaces it when the URL names several servers, so that a
	// hanging one does not hold up the next.
	connectEachIn = time.Second
	pingIn        = 500 * time.Millisecond

	// mostWaiting is how many callers may wait for a connection. More are
	// refused at once.
	mostWaiting = 1024
)

// DB is a database that any number of processes share. It implements
// engine.Engine.
type DB struct {
	pool     *pgxpool.Pool
	db       *sql.DB // the same pool, for migrations
	gate     *gate
	waiting  atomic.Int64
	answerIn time.Duration
	begin    string // starts a transaction
	measures engine.Measures
}

// Open makes the pool. It connects only if the database must exist.
func Open(ctx context.Context, address string, mustExist bool) (*DB, error) {
	cfg, err := poolConfig(address)
	if err != nil {
		return nil, err
	}
	p := &DB{gate: &gate{}, measures: engine.NewMeasures()}
	if p.answerIn, err = takePatience(cfg); err != nil {
		return nil, fmt.Errorf("the database URL: %w", err)
	}
	p.begin = beginText(p.answerIn)
	cfg.BeforeConnect = func(context.Context, *pgx.ConnConfig) error { return p.gate.enter() }
	cfg.AfterConnect = func(context.Context, *pgx.Conn) error { p.gate.succeeded(); return nil }
	cfg.ConnConfig.DialFunc = p.gate.dial(cfg.ConnConfig.DialFunc)
	cfg.BeforeClose = forgetKey
	if p.pool, err = pgxpool.NewWithConfig(ctx, cfg); err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	p.db = forMigrations(p.pool)
	if mustExist {
		if err := p.exists(ctx); err != nil {
			return nil, errors.Join(err, p.Close())
		}
	}
	return p, nil
}

// poolConfig reads the URL and fills in our defaults. The URL may set every
// option: pool_max_conns, default_query_exec_mode, target_session_attrs and so
// on.
func poolConfig(address string) (*pgxpool.Config, error) {
	given := url.Values{}
	if u, err := url.Parse(address); err == nil {
		given = u.Query()
	}
	for _, name := range []string{"sslrootcert", "sslcert", "sslkey", "passfile", "servicefile"} { // which the driver reads
		if err := file.Check(given.Get(name)); errors.Is(err, file.ErrKind) {
			return nil, fmt.Errorf("%s of the database URL is not a regular file", name)
		}
	}
	cfg, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("the database URL is not understood: %w", withoutURL(err))
	}
	if !given.Has("pool_max_conns") {
		cfg.MaxConns = int32(max(10, 4*runtime.NumCPU()))
	}
	if cfg.MaxConns < 2 {
		return nil, fmt.Errorf("pool_max_conns is %d, and a node needs two connections: one holds the lock while the other migrates", cfg.MaxConns)
	}
	if !given.Has("default_query_exec_mode") {
		// This mode prepares nothing on the server, so a pooler may give each
		// transaction another connection.
		cfg.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
	}
	if !given.Has("application_name") {
		cfg.ConnConfig.RuntimeParams["application_name"] = "portico"
	}
	if t := cfg.ConnConfig.ConnectTimeout; t <= 0 || t > connectIn {
		cfg.ConnConfig.ConnectTimeout = connectIn
	}
	if several(cfg.ConnConfig) && !given.Has("connect_timeout") {
		cfg.ConnConfig.ConnectTimeout = connectEachIn
	}
	if !given.Has("target_session_attrs") {
		cfg.ConnConfig.ValidateConnect = takesWrites
	}
	cfg.ConnConfig.OnNotice = keepWarning
	cfg.PingTimeout = pingIn
	// A statement that takes too long is canceled. Its connection is kept.
	cfg.ConnConfig.BuildContextWatcherHandler = func(c *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: c, DeadlineDelay: cancelIn}
	}
	return cfg, nil
}

// takesWrites refuses a connection to a standby. A standby would answer reads
// with old data, and every step writes.
func takesWrites(ctx context.Context, conn *pgconn.PgConn) error {
	err := pgconn.ValidateConnectTargetSessionAttrsReadWrite(ctx, conn)
	if errors.Is(err, pgconn.ErrReadOnlyConnection) {
		return engine.ErrReadOnly
	}
	return err
}

// several reports whether the URL names more than one server. The driver lists
// a server twice when it may try it with and without TLS.
func several(cfg *pgx.ConnConfig) bool {
	for _, other := range cfg.Fallbacks {
		if other.Host != cfg.Host || other.Port != cfg.Port {
			return true
		}
	}
	return false
}

// exists refuses a database that was never migrated.
func (p *DB) exists(ctx context.Context) error {
	tx := p.Read()
	_, found, err := engine.First(ctx, tx, `SELECT table_name FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_name = 'installation'`, nil, engine.One[string])
	if err == nil && !found {
		f, failed := p.Facts(ctx)
		err = p.Rights(ctx, f, failed) // a role without rights sees no tables
	}
	if err == nil && !found {
		err = errors.New("the database has no data of Portico: check PORTICO_DATABASE_URL, or make one with 'portico migrate'")
	}
	return err
}

// Read implements engine.Engine.
func (p *DB) Read() *engine.Tx { return &engine.Tx{Runner: &reader{DB: p}, Again: broken} }

// Ping implements engine.Engine.
func (p *DB) Ping(ctx context.Context) error {
	ctx, cancel := p.within(ctx)
	defer cancel()
	conn, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	var readOnly string
	err = conn.QueryRow(ctx, "SHOW transaction_read_only", pgx.QueryExecModeSimpleProtocol).Scan(&readOnly)
	if err == nil && readOnly == "on" {
		_ = conn.Conn().Close(ctx) // the next connection may lead to a server that takes writes
		return engine.Unavailable(engine.ErrReadOnly)
	}
	return judge(err)
}

// Contested implements engine.Engine.
func (p *DB) Contested(err error) bool { return contested(err) }

// ForgetMove implements engine.Engine. A move leaves nothing here.
func (p *DB) ForgetMove(context.Context) error { return nil }

// ConnConfig returns a copy of how connections are made.
func (p *DB) ConnConfig() *pgx.ConnConfig { return p.pool.Config().ConnConfig }

// acquire waits for a connection, and opens one while the pool is not full.
func (p *DB) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	defer p.waiting.Add(-1)
	if p.waiting.Add(1) > mostWaiting {
		return nil, engine.Unavailable(errors.New("too many requests wait for a connection to the database"))
	}
	for {
		conn, err := p.pool.Acquire(ctx)
		if err == nil {
			return conn, nil
		}
		resting := errors.Is(err, errResting)
		if _, refused := errors.AsType[*pgconn.ConnectError](err); refused && !resting {
			p.gate.failed(err)
		}
		// The pool cannot open a connection now, but one that is in use may
		// become free.
		if s := p.pool.Stat(); !resting || s.AcquiredConns()+s.IdleConns() == 0 {
			return nil, engine.Unavailable(Plainly(err))
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return nil, engine.Unavailable(err)
		}
	}
}

// Schema implements engine.Engine.
func (p *DB) Schema() (goose.Dialect, *sql.DB) { return goose.DialectPostgres, p.db }

// Alone implements engine.Engine. It holds a lock that ends with its
// transaction, so the lock works through a pooler and a process that dies loses
// it.
func (p *DB) Alone(ctx context.Context, _ bool, fn func() error) error {
	conn, err := p.acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	const lock = `BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;
		SELECT pg_advisory_xact_lock(7310576498015692643)` // any number that is ours: "portico" in ASCII, and "c"
	if _, err := conn.Exec(ctx, lock); err != nil {
		return fmt.Errorf("wait for another node that migrates: %w", err)
	}
	failure := fn()
	_, err = conn.Exec(context.WithoutCancel(ctx), "COMMIT")
	return errors.Join(failure, err)
}

// Keep implements engine.Engine. It saves nothing: the operator makes copies of
// a server.
func (p *DB) Keep(context.Context, int64) error { return nil }

// Anew implements engine.Engine.
func (p *DB) Anew() string {
	return "make another one with CREATE DATABASE, and name it in database_url"
}

// WayBack implements engine.Engine.
func (p *DB) WayBack(int64) string {
	return "a copy made before the upgrade with pg_restore"
}

// Explain implements engine.Engine.
func (p *DB) Explain(err error) error { return err }

// Claim implements engine.Engine. It takes nothing, because any number of nodes
// serve one database.
func (p *DB) Claim() (io.Closer, error) { return io.NopCloser(nil), nil }

// Shared implements engine.Engine.
func (p *DB) Shared() bool { return true }

// Now implements engine.Engine.
func (p *DB) Now(ctx context.Context) (now time.Time, known bool, err error) {
	return engine.First(ctx, p.Read(), `SELECT clock_timestamp()`, nil, engine.One[time.Time])
}

// Backup implements engine.Engine.
func (p *DB) Backup(context.Context, string) error { return engine.ErrNoBackup }

// Close implements engine.Engine.
func (p *DB) Close() error {
	err := p.db.Close()
	p.pool.Close()
	return err
}
