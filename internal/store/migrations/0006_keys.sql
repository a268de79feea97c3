-- +goose Up
-- A key of the admin API. A row stays as long as the audit records, which name the key by its id.
CREATE TABLE api_key (
    id         TEXT   NOT NULL PRIMARY KEY, -- sorts by time
    name       TEXT   NOT NULL,
    scopes     TEXT   NOT NULL, -- a JSON list; they never change
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL, -- the time at which an admin has ended it, if one has
    used_at    BIGINT NOT NULL, -- of the last use, exact to a minute; 0 if it was never used
    peer       TEXT   NOT NULL, -- the network of the last use
    warned_at  BIGINT NOT NULL  -- when its owner was told that it ends soon; 0 if not yet
);
CREATE INDEX api_key_ends ON api_key (ends_at);

-- The secrets of a key: the one that works, and for a change to it the one before.
CREATE TABLE api_key_secret (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- SHA-256
    key_id     TEXT   NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE, -- the admin who answers for it
    created_at BIGINT NOT NULL
);
CREATE INDEX api_key_secret_key ON api_key_secret (key_id, created_at);
CREATE INDEX api_key_secret_account ON api_key_secret (account_id);

-- What a request of the admin API with an Idempotency-Key has done. Kept for a day.
CREATE TABLE once (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- of the actor and the key
    asked      BYTEA  NOT NULL, -- hash of the method, the path and the body
    claim      TEXT   NOT NULL, -- of the request that carries it out
    done       BIGINT NOT NULL, -- 1 if its change is in the database
    answer     TEXT   NOT NULL, -- JSON; '' until it is known
    begun_at   BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX once_expires ON once (expires_at);

-- The key that began the job, for which account_id answers. '' for an admin.
ALTER TABLE job ADD COLUMN key_id TEXT NOT NULL DEFAULT '';
