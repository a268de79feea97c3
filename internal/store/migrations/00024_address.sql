-- +goose Up
-- Addresses that an account has in addition to its primary one. No other account can get them.
CREATE TABLE other_address (
    address_key TEXT   NOT NULL PRIMARY KEY,
    account_id  TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    address     TEXT   NOT NULL,
    at          BIGINT NOT NULL, -- since when it is not the account's own one
    expires_at  BIGINT NOT NULL
);
CREATE INDEX other_address_account ON other_address (account_id);
CREATE INDEX other_address_expiry ON other_address (expires_at);

-- The newest alarm of the owner, 0 for none: what it undoes, and when it was raised.
ALTER TABLE account ADD COLUMN alarm_mail_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE account ADD COLUMN alarm_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE account DROP COLUMN alarm_at;
ALTER TABLE account DROP COLUMN alarm_mail_at;
DROP TABLE other_address;
