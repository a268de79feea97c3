-- +goose Up
-- Imported accounts that have come without a password, until somebody has signed in to them. A row counts
-- only while nothing has changed how the account is signed in to.
CREATE TABLE newcomer (
    account_id  TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    queued_at   BIGINT NOT NULL, -- since when the email with a link to choose a password waits for its turn; 0: it does not
    pace        BIGINT NOT NULL, -- microseconds between this email and the next one
    welcomed_at BIGINT NOT NULL  -- when the email was written; 0: not yet
);
CREATE INDEX newcomer_queue ON newcomer (queued_at, account_id);
