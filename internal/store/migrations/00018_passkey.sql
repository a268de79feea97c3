-- +goose Up
-- The passkeys of accounts. Their keys are public.
CREATE TABLE passkey (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    credential BYTEA  NOT NULL, -- the id at the authenticator
    public_key BYTEA  NOT NULL, -- COSE
    handle     BYTEA  NOT NULL, -- by which the authenticator knows the account
    host       TEXT   NOT NULL, -- the relying party: it works for no other
    name       TEXT   NOT NULL,
    model      TEXT   NOT NULL, -- AAGUID
    transports TEXT   NOT NULL, -- JSON
    counter    BIGINT NOT NULL, -- of signatures: an older one is suspect
    copies     BIGINT NOT NULL, -- 1: may be copied to other devices; never changes
    copied     BIGINT NOT NULL, -- 1: is copied
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX passkey_account ON passkey (account_id);
CREATE UNIQUE INDEX passkey_credential ON passkey (credential);
CREATE INDEX passkey_host ON passkey (host);

-- +goose Down
DROP TABLE passkey;
