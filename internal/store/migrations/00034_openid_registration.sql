-- +goose Up
-- OpenID clients that have registered themselves (RFC 7591).
CREATE TABLE openid_client (
    id          TEXT   NOT NULL PRIMARY KEY,
    metadata    TEXT   NOT NULL, -- as the client gets it, in JSON
    secret_hash BYTEA  NOT NULL, -- SHA-256; empty for a client without a secret
    access_hash BYTEA  NOT NULL, -- SHA-256 of the token by which the client changes this row
    created_at  BIGINT NOT NULL,
    ends_at     BIGINT NOT NULL  -- unless it is used before
);
CREATE INDEX openid_client_end ON openid_client (ends_at);

-- Tokens by which clients may register (RFC 7591 3, initial access token).
CREATE TABLE openid_initial_token (
    hash       BYTEA  NOT NULL PRIMARY KEY, -- SHA-256
    id         TEXT   NOT NULL UNIQUE,
    uses_left  BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX openid_initial_token_expiry ON openid_initial_token (expires_at);

-- +goose Down
DROP TABLE openid_initial_token;
DROP TABLE openid_client;
