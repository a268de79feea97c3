-- +goose Up
-- Accounts whose owners do not want to be offered a passkey after signing in.
CREATE TABLE passkey_refusal (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    at         BIGINT NOT NULL
);

-- +goose Down
DROP TABLE passkey_refusal;
