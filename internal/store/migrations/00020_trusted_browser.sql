-- +goose Up
-- The browsers in which an account is not asked for its second factor.
CREATE TABLE trusted_browser (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    token_hash BYTEA  NOT NULL,
    mark       BYTEA  NOT NULL, -- of the credentials of the account: another mark ends the trust
    user_agent TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX trusted_browser_account ON trusted_browser (account_id);
CREATE UNIQUE INDEX trusted_browser_token ON trusted_browser (token_hash);
CREATE INDEX trusted_browser_expires ON trusted_browser (expires_at);

-- +goose Down
DROP TABLE trusted_browser;
