-- +goose Up
-- A personal access token, with which a script of a user calls one app. It works as long as the account is active
-- and has the same credential version. A row stays for 366 days after its end, so that its form, sent again, does not
-- make the same token anew.
CREATE TABLE personal_token (
    id         TEXT   NOT NULL PRIMARY KEY, -- sorts by time
    hash       BYTEA  NOT NULL UNIQUE, -- SHA-256
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    version    BIGINT NOT NULL, -- credential version of the account when it was made
    name       TEXT   NOT NULL,
    app        TEXT   NOT NULL, -- the only one that it opens
    roles      TEXT   NOT NULL, -- a JSON list: of the roles that the user has, the token has these
    created_at BIGINT NOT NULL,
    ends_at    BIGINT NOT NULL, -- the time at which somebody has ended it, if anybody has
    used_at    BIGINT NOT NULL  -- of the last use; 0 if it was never used
);
CREATE INDEX personal_token_account ON personal_token (account_id);
CREATE INDEX personal_token_ends ON personal_token (ends_at);
