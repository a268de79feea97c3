-- +goose Up
-- All data of Portico, for SQLite and PostgreSQL alike.
--
-- Times are microseconds since 1970 (UTC), and 0 means never. Columns that end in _at are
-- times. Lists are JSON text. There is no NULL and no default: '' and 0 mean none. A "hash"
-- is the SHA-256 of a random secret, a "keyed hash" needs the master key, and a "sealed"
-- value is encrypted with the master key. Most ids begin with the time, so they sort by it.

-- Accounts ---------------------------------------------------------------------------------

-- The people who can sign in.
CREATE TABLE account (
    id               TEXT   NOT NULL PRIMARY KEY,
    address          TEXT   NOT NULL,        -- the primary address, as its owner writes it
    address_key      TEXT   NOT NULL UNIQUE, -- its canonical form, by which it is found
    address_at       BIGINT NOT NULL,        -- since when it is the primary one; 0: since the account was made
    name             TEXT   NOT NULL,
    locale           TEXT   NOT NULL,        -- the language of emails; '' until the first sign-in
    state            TEXT   NOT NULL,        -- active, disabled (by an operator), leaving (closed by its owner)
    roles            TEXT   NOT NULL,        -- a list of names
    password         TEXT   NOT NULL,        -- Argon2id with a pepper; '' for none
    version          BIGINT NOT NULL,        -- the credential version: raising it ends sessions, grants and pending flows
    flow_ends        BIGINT NOT NULL,        -- raised by a change of a way in that ends pending flows and no session
    terms            TEXT   NOT NULL,        -- the version of the terms of use that was accepted last
    terms_at         BIGINT NOT NULL,        -- when it was accepted
    factor_told_at   BIGINT NOT NULL,        -- when a sign-in first told the owner to add a second factor
    alarm_at         BIGINT NOT NULL,        -- when the owner last raised an alarm
    alarm_mail_at    BIGINT NOT NULL,        -- when the email was caused that the alarm answers: later changes are undone
    alarm_address_at BIGINT NOT NULL,        -- since when the account had the address of that email
    created_at       BIGINT NOT NULL
);

-- Addresses that an account has besides its primary one. No other account can get them.
CREATE TABLE other_address (
    account_id    TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    address       TEXT   NOT NULL,
    address_key   TEXT   NOT NULL PRIMARY KEY, -- canonical
    kind          TEXT   NOT NULL,             -- recovery, other; former and removed ones are kept so that an alarm can restore them
    added_at      BIGINT NOT NULL,             -- since when the account has the address
    primary_until BIGINT NOT NULL,             -- a time: until when it was the primary one; 0: it never was
    expires_at    BIGINT NOT NULL              -- until when it is kept; the year 9999 for an address in use
);
CREATE INDEX other_address_account ON other_address (account_id);
CREATE INDEX other_address_expiry ON other_address (expires_at);

-- What an account is at an external provider. The provider's name for the person is
-- (issuer, subject), never the email address.
CREATE TABLE identity (
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    provider   TEXT   NOT NULL, -- its name in the settings
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    tells_time BIGINT NOT NULL, -- whether the provider tells when the user signed in: 1 yes, 2 no, 0 not asked yet
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_account ON identity (account_id);

-- The picture that a user gives, at most one for each account.
CREATE TABLE portrait (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    id         TEXT   NOT NULL UNIQUE, -- random: a part of the picture's URL, so a new picture has a new one
    image      BYTEA  NOT NULL,        -- JPEG, drawn by this server
    changed_at BIGINT NOT NULL
);

-- Accounts that their owners have closed, until they are erased.
CREATE TABLE departure (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    left_at    BIGINT NOT NULL,
    erase_at   BIGINT NOT NULL
);
CREATE INDEX departure_erase ON departure (erase_at);

-- Passkeys and second factors --------------------------------------------------------------

-- WebAuthn credentials. Nothing here is secret.
CREATE TABLE passkey (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    credential BYTEA  NOT NULL, -- its id at the authenticator
    public_key BYTEA  NOT NULL, -- COSE
    handle     BYTEA  NOT NULL, -- by which the authenticator knows the account
    host       TEXT   NOT NULL, -- the relying party that it was made for, and works for
    name       TEXT   NOT NULL,
    model      TEXT   NOT NULL, -- AAGUID of the authenticator
    transports TEXT   NOT NULL, -- a list: how browsers reach the authenticator
    counter    BIGINT NOT NULL, -- of signatures: a lower one is suspect
    copies     BIGINT NOT NULL, -- 1: it may be copied to other devices; never changes
    copied     BIGINT NOT NULL, -- 1: it was copied
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX passkey_account ON passkey (account_id);
CREATE UNIQUE INDEX passkey_credential ON passkey (credential);
CREATE INDEX passkey_host ON passkey (host);

-- Accounts whose owners do not want to be offered a passkey after signing in.
CREATE TABLE passkey_refusal (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    at         BIGINT NOT NULL
);

-- Authenticator apps. Every row counts: an app that is being added is in its flow.
CREATE TABLE factor (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind       TEXT   NOT NULL,
    sealed     BYTEA  NOT NULL, -- the secret that the app shares
    last_step  BIGINT NOT NULL, -- the newest time step that was used: it and older ones are refused
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX factor_account ON factor (account_id);

-- The recovery codes of an account that are not used yet.
CREATE TABLE recovery_code (
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    selector   TEXT   NOT NULL, -- the first characters of the code, by which its row is found
    hash       TEXT   NOT NULL, -- of the code, as for passwords
    PRIMARY KEY (account_id, selector)
);

-- Sessions ---------------------------------------------------------------------------------

-- Browsers that are signed in. A session whose version is not that of its account has ended.
CREATE TABLE session (
    id               TEXT   NOT NULL PRIMARY KEY,
    token_hash       BYTEA  NOT NULL UNIQUE, -- hash of the session token
    account_id       TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    version          BIGINT NOT NULL,        -- credential version of the account at the sign-in
    methods          TEXT   NOT NULL,        -- a list: the proofs of the sign-in
    user_agent       TEXT   NOT NULL,        -- shortened
    peer             TEXT   NOT NULL,        -- the network of the sign-in
    created_at       BIGINT NOT NULL,
    authenticated_at BIGINT NOT NULL,        -- of the newest proof; 0 if a provider does not tell
    strong_at        BIGINT NOT NULL,        -- of the newest second factor
    last_seen_at     BIGINT NOT NULL,        -- written in batches
    expires_at       BIGINT NOT NULL
);
CREATE INDEX session_account ON session (account_id);
CREATE INDEX session_expiry ON session (expires_at);

-- Why sessions ended before their time. Their browsers are told once.
CREATE TABLE session_end (
    token_hash BYTEA  NOT NULL PRIMARY KEY,
    reason     TEXT   NOT NULL,
    expires_at BIGINT NOT NULL -- when the session would have expired
);
CREATE INDEX session_end_expiry ON session_end (expires_at);

-- Tells every node whose sessions ended lately. Nodes read all rows, which stay for minutes.
CREATE TABLE revocation (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL,
    at         BIGINT NOT NULL
);

-- Browsers in which an account is not asked for its second factor.
CREATE TABLE trusted_browser (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    token_hash BYTEA  NOT NULL, -- hash of a token of the trust cookie
    mark       BYTEA  NOT NULL, -- fingerprint of the credentials of the account: when they change, the trust ends
    user_agent TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX trusted_browser_account ON trusted_browser (account_id);
CREATE UNIQUE INDEX trusted_browser_token ON trusted_browser (token_hash);
CREATE INDEX trusted_browser_expires ON trusted_browser (expires_at);

-- Tickets that were presented at an app's own host, so that none works twice. Rows stay for minutes.
CREATE TABLE spent_ticket (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX spent_ticket_expiry ON spent_ticket (expires_at);

-- Flows ------------------------------------------------------------------------------------

-- Visitors on their way through several steps. An address without an account makes the same row.
CREATE TABLE flow (
    id           TEXT   NOT NULL PRIMARY KEY,
    kind         TEXT   NOT NULL, -- signup, recovery, ...: flow.Kind
    step         TEXT   NOT NULL, -- verify, reset, ...: flow.Step
    account_id   TEXT   NOT NULL, -- '' if the address has no account
    version      BIGINT NOT NULL, -- when the flow began, account.version + flow_ends; for a recovery, account.version alone
    address_key  TEXT   NOT NULL,
    browser_hash BYTEA  NOT NULL, -- hash of the browser cookie
    return_to    TEXT   NOT NULL, -- the return target
    sealed       BYTEA  NOT NULL, -- what only this kind of flow needs
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX flow_address ON flow (address_key, created_at);
CREATE INDEX flow_expiry ON flow (expires_at);

-- The code and the link of an email. Each works once.
CREATE TABLE code (
    id         TEXT   NOT NULL PRIMARY KEY,
    flow_id    TEXT   NOT NULL REFERENCES flow (id) ON DELETE CASCADE,
    digits     BYTEA  NOT NULL,        -- keyed hash of the flow and the six digits
    link_hash  BYTEA  NOT NULL UNIQUE, -- hash of the token in the mailed link
    sent_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX code_flow ON code (flow_id, sent_at);

-- OpenID Connect ---------------------------------------------------------------------------

-- OpenID clients that have registered themselves (RFC 7591).
CREATE TABLE openid_registered_client (
    id          TEXT   NOT NULL PRIMARY KEY,
    metadata    TEXT   NOT NULL, -- as the client gets it, in JSON
    secret_hash BYTEA  NOT NULL, -- empty for a client without a secret
    access_hash BYTEA  NOT NULL, -- hash of the token by which the client changes this row
    created_at  BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL  -- unless the client is used before
);
CREATE INDEX openid_registered_client_end ON openid_registered_client (ends_at);

-- Tokens by which clients may register (RFC 7591 3, initial access token).
CREATE TABLE openid_initial_token (
    hash       BYTEA  NOT NULL PRIMARY KEY,
    id         TEXT   NOT NULL UNIQUE, -- for the operator
    uses_left  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX openid_initial_token_expiry ON openid_initial_token (expires_at);

-- Which scopes users allow which OpenID clients.
CREATE TABLE openid_consent (
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    client_id  TEXT   NOT NULL,
    scopes     TEXT   NOT NULL, -- a list
    given_at   BIGINT NOT NULL,
    PRIMARY KEY (account_id, client_id)
);

-- What a user's sign-in gave an OpenID client. The authorization code and the tokens name
-- this row and end in a keyed hash, so they have no rows of their own.
CREATE TABLE openid_grant (
    id           TEXT   NOT NULL PRIMARY KEY,
    client_id    TEXT   NOT NULL,
    account_id   TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    version      BIGINT NOT NULL, -- credential version of the account
    session_id   TEXT   NOT NULL, -- the session now; no reference, because a grant may outlive its session
    sid          TEXT   NOT NULL, -- the name of its first session for clients; never changes
    methods      TEXT   NOT NULL, -- a list: the proofs of the sign-in
    signed_in_at BIGINT NOT NULL,
    scopes       TEXT   NOT NULL, -- a list
    claims       TEXT   NOT NULL, -- a list: claims that were asked for one by one, each with its place (OpenID Connect Core 5.5)
    resources    TEXT   NOT NULL, -- a list: the resource servers that its access tokens are for (RFC 8707)
    redirect_uri TEXT   NOT NULL,
    nonce        TEXT   NOT NULL,
    challenge    TEXT   NOT NULL, -- PKCE, S256
    proof_key    TEXT   NOT NULL, -- thumbprint of the key that its tokens belong to (DPoP, RFC 9449)
    may_tell     BIGINT NOT NULL, -- 1: the client is a guest that may want to know when the session ends
    generation   BIGINT NOT NULL, -- of the newest refresh token
    access_from  BIGINT NOT NULL, -- access tokens of earlier generations are revoked
    created_at   BIGINT NOT NULL,
    redeemed_at  BIGINT NOT NULL, -- when the code was redeemed
    rotated_at   BIGINT NOT NULL, -- when the newest refresh token was given
    ended_at     BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL  -- of the code; of the grant once the code is redeemed
);
CREATE INDEX openid_grant_account ON openid_grant (account_id);
CREATE INDEX openid_grant_session ON openid_grant (session_id);
CREATE INDEX openid_grant_expiry ON openid_grant (expires_at);

-- Pushed requests (RFC 9126). A row is deleted when its code is given.
CREATE TABLE openid_pushed_request (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- of the name that the client got
    client_id  TEXT   NOT NULL,
    query      TEXT   NOT NULL,             -- the parameters
    begin_by   BIGINT NOT NULL,             -- when a browser must have begun with it
    expires_at BIGINT NOT NULL
);
CREATE INDEX openid_pushed_request_expiry ON openid_pushed_request (expires_at);

-- Devices that wait for their users to sign in elsewhere (RFC 8628). A row is deleted when its tokens are given.
CREATE TABLE openid_device (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- of the code of the device
    user_hash  BYTEA  NOT NULL UNIQUE,      -- keyed hash of the user code
    client_id  TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,             -- a list
    resources  TEXT   NOT NULL,             -- a list
    grant_id   TEXT   NOT NULL,             -- '' until the user has agreed
    denied_at  BIGINT NOT NULL,
    polled_at  BIGINT NOT NULL,             -- when the device last asked
    expires_at BIGINT NOT NULL
);
CREATE INDEX openid_device_expiry ON openid_device (expires_at);

-- Sessions whose end by age or idleness an OpenID client wants to know.
CREATE TABLE openid_watch (
    session_id TEXT   NOT NULL PRIMARY KEY, -- no reference: the row is deleted when it is looked at
    check_at   BIGINT NOT NULL              -- when to look at the session next
);
CREATE INDEX openid_watch_due ON openid_watch (check_at);

-- Emails -----------------------------------------------------------------------------------

-- Emails, and messages to OpenID clients about ended sessions, until they are delivered.
CREATE TABLE outbox (
    id         TEXT   NOT NULL PRIMARY KEY,
    template   TEXT   NOT NULL,
    account_id TEXT   NOT NULL, -- '' for none; no reference, because the email about a deleted account is sent
    client_id  TEXT   NOT NULL, -- the OpenID client that gets the message, so that one cannot hold up all; '' for an email
    payload    BYTEA  NOT NULL, -- sealed
    claims     BIGINT NOT NULL, -- how often a node has taken it; never goes down
    failures   BIGINT NOT NULL, -- deliveries that failed
    uncertain  BIGINT NOT NULL, -- claims whose result is not known
    reason     TEXT   NOT NULL, -- of the last failure, for the operator
    created_at BIGINT NOT NULL,
    due_at     BIGINT NOT NULL, -- the next attempt; while it is claimed, the end of the lease
    not_after  BIGINT NOT NULL, -- a time: it is not sent later; 0 for no end
    dead_at    BIGINT NOT NULL  -- when it was given up
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE dead_at = 0;
CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at > 0;

-- What became of the emails of the last days, for the operator.
CREATE TABLE email_outcome (
    id       TEXT   NOT NULL PRIMARY KEY, -- as in outbox
    mailbox  BYTEA  NOT NULL,             -- keyed hash of the address
    template TEXT   NOT NULL,
    asked_at BIGINT NOT NULL,
    state    TEXT   NOT NULL,             -- waiting, accepted, ...: outbox.State
    state_at BIGINT NOT NULL,             -- since when it is in this state
    answer   TEXT   NOT NULL              -- of the mail server, or the reason
);
CREATE INDEX email_outcome_mailbox ON email_outcome (mailbox, asked_at);
CREATE INDEX email_outcome_asked_at ON email_outcome (asked_at);

-- The newest refusal of a mailbox by its mail server. The visitor who asked is told.
CREATE TABLE mailbox_refusal (
    mailbox    BYTEA  NOT NULL PRIMARY KEY, -- keyed hash of the address
    asked_at   BIGINT NOT NULL,             -- when the email was asked for
    refused_at BIGINT NOT NULL
);
CREATE INDEX mailbox_refusal_refused_at ON mailbox_refusal (refused_at);

-- Limits and records -----------------------------------------------------------------------

-- Counted attempts, one row for each limit and subject.
CREATE TABLE throttle (
    key       TEXT   NOT NULL PRIMARY KEY, -- keyed hash of the limit and the subject
    attempts  BIGINT NOT NULL,
    last_at   BIGINT NOT NULL,
    forget_at BIGINT NOT NULL
);
CREATE INDEX throttle_expiry ON throttle (forget_at);

-- Audit records: who changed what, when, from which network.
CREATE TABLE audit (
    id         TEXT   NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL,
    name       TEXT   NOT NULL, -- of the event: audit.Name
    account_id TEXT   NOT NULL, -- '' for none; no reference, because records outlive accounts
    actor      TEXT   NOT NULL, -- self, operator, stranger
    peer       TEXT   NOT NULL, -- the network
    user_agent TEXT   NOT NULL,
    request_id TEXT   NOT NULL, -- as in the log entries of the request
    detail     TEXT   NOT NULL  -- ids and stable words, never what a visitor typed
);
CREATE INDEX audit_account ON audit (account_id, at);
CREATE INDEX audit_at ON audit (at);

-- The installation -------------------------------------------------------------------------

-- One row.
CREATE TABLE installation (
    id        BIGINT NOT NULL PRIMARY KEY,
    purpose   TEXT   NOT NULL, -- real; development: made by 'portico dev', with accounts whose password is published
    key_check BYTEA  NOT NULL, -- tells the master key of this database from any other
    hash_cost TEXT   NOT NULL, -- the cost of password hashes, for all nodes and starts; '' until it is measured
    lineage   TEXT   NOT NULL  -- the engine's name for the copy that was served last: a restored copy has another; '' if unknown
);

-- Master keys that were replaced. Password hashes that need one verify until the next sign-in.
CREATE TABLE former_master_key (
    id         TEXT   NOT NULL PRIMARY KEY, -- the public name of the key, as in password hashes
    pepper     BYTEA  NOT NULL,             -- the key of its password hashes, sealed
    changed_at BIGINT NOT NULL,
    done_at    BIGINT NOT NULL              -- 0: rows that it has sealed may be left
);
CREATE INDEX former_master_key_changed ON former_master_key (changed_at);

-- The keys of Portico's own tokens.
CREATE TABLE signing_key (
    id         TEXT   NOT NULL PRIMARY KEY, -- the kid of its tokens
    generation BIGINT NOT NULL UNIQUE,      -- if several nodes rotate at the same time, one adds a key
    sealed     BYTEA  NOT NULL,             -- the private key
    created_at BIGINT NOT NULL,
    signs_at   BIGINT NOT NULL,             -- from when on it signs, until the next one does
    revoked_at BIGINT NOT NULL
);

-- The nodes that share the database. Each reads all rows.
CREATE TABLE node (
    id       TEXT   NOT NULL PRIMARY KEY,
    beat     BIGINT NOT NULL, -- goes up while the node is alive
    settings TEXT   NOT NULL, -- JSON: the name of a setting -> the keyed hash of its value
    keys     TEXT   NOT NULL  -- JSON: the name of the machine, and the public names of its master keys
);

-- Which node does what only one may do.
CREATE TABLE lease (
    name  TEXT   NOT NULL PRIMARY KEY,
    owner TEXT   NOT NULL, -- '' when it was given back
    beat  BIGINT NOT NULL  -- goes up while the owner is alive
);

-- Tells a node whether a commit happened whose response was lost. SQLite loses none, so
-- there the table stays empty.
CREATE TABLE commit_key (
    id TEXT NOT NULL PRIMARY KEY
);

-- At most one row: what 'portico move' is about to do with this database, or has done.
CREATE TABLE move (
    id    BIGINT NOT NULL PRIMARY KEY,
    state TEXT   NOT NULL, -- leaving, gone: the data goes elsewhere; coming: it is being filled
    until BIGINT NOT NULL  -- a time: no email is claimed before
);
