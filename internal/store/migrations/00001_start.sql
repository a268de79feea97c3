-- +goose Up
-- One schema for every engine. Times are microseconds since 1970 (UTC), lists are JSON text.

CREATE TABLE account (
    id          TEXT   NOT NULL PRIMARY KEY,
    address     TEXT   NOT NULL,
    address_key TEXT   NOT NULL UNIQUE,
    name        TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    roles       TEXT   NOT NULL,
    password    TEXT   NOT NULL,
    version     BIGINT NOT NULL,
    created_at  BIGINT NOT NULL
);

CREATE TABLE identity (
    issuer     TEXT   NOT NULL,
    subject    TEXT   NOT NULL,
    provider   TEXT   NOT NULL,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE INDEX identity_account ON identity (account_id);

CREATE TABLE session (
    id               TEXT   NOT NULL PRIMARY KEY,
    token_hash       BYTEA  NOT NULL UNIQUE,
    account_id       TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    version          BIGINT NOT NULL,
    methods          TEXT   NOT NULL,
    browser          TEXT   NOT NULL,
    created_at       BIGINT NOT NULL,
    authenticated_at BIGINT NOT NULL,
    last_seen_at     BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL
);
CREATE INDEX session_account ON session (account_id);
CREATE INDEX session_expiry ON session (expires_at);

-- Tells every process which accounts had sessions ended lately. It is read whole: rows stay for minutes.
CREATE TABLE revocation (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL,
    at         BIGINT NOT NULL
);

CREATE TABLE flow (
    id           TEXT   NOT NULL PRIMARY KEY,
    kind         TEXT   NOT NULL,
    step         TEXT   NOT NULL,
    account_id   TEXT   NOT NULL, -- '' when there is none: the same row for known and unknown people
    version      BIGINT NOT NULL, -- credential version of the account when the flow began
    address_key  TEXT   NOT NULL,
    browser_hash BYTEA  NOT NULL,
    return_to    TEXT   NOT NULL,
    sealed       BYTEA  NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX flow_address ON flow (address_key, created_at);
CREATE INDEX flow_expiry ON flow (expires_at);

CREATE TABLE code (
    id         TEXT   NOT NULL PRIMARY KEY,
    flow_id    TEXT   NOT NULL REFERENCES flow (id) ON DELETE CASCADE,
    digits     BYTEA  NOT NULL,
    link_hash  BYTEA  NOT NULL UNIQUE,
    sent_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX code_flow ON code (flow_id, sent_at);

CREATE TABLE throttle (
    key           TEXT   NOT NULL PRIMARY KEY,
    tries         BIGINT NOT NULL,
    last_at       BIGINT NOT NULL,
    forget_at     BIGINT NOT NULL
);
CREATE INDEX throttle_expiry ON throttle (forget_at);

CREATE TABLE audit (
    id         TEXT   NOT NULL PRIMARY KEY,
    at         BIGINT NOT NULL,
    name       TEXT   NOT NULL,
    account_id TEXT   NOT NULL,
    actor      TEXT   NOT NULL,
    peer       TEXT   NOT NULL,
    browser    TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    detail     TEXT   NOT NULL
);
CREATE INDEX audit_account ON audit (account_id, at);
CREATE INDEX audit_at ON audit (at);

-- +goose Down
DROP TABLE audit;
DROP TABLE throttle;
DROP TABLE code;
DROP TABLE flow;
DROP TABLE revocation;
DROP TABLE session;
DROP TABLE identity;
DROP TABLE account;
