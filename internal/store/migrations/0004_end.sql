-- +goose Up
-- From this time on the account is closed. 0 for never.
ALTER TABLE account ADD COLUMN ends_at BIGINT NOT NULL DEFAULT 0;

-- The ends whose sessions the background work still has to end. Repeats account.ends_at in
-- the form of an index.
CREATE TABLE account_end (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    ends_at    BIGINT NOT NULL
);
CREATE INDEX account_end_ends ON account_end (ends_at);
