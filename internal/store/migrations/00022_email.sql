-- +goose Up
-- What became of the emails of the last days, for the operator.
CREATE TABLE email (
    id       TEXT   NOT NULL PRIMARY KEY, -- of the message
    mailbox  BYTEA  NOT NULL, -- keyed hash of the address
    template TEXT   NOT NULL,
    asked_at BIGINT NOT NULL,
    at       BIGINT NOT NULL, -- of the state
    state    TEXT   NOT NULL,
    answer   TEXT   NOT NULL  -- of the mail server, or the reason
);
CREATE INDEX email_mailbox ON email (mailbox, asked_at);
CREATE INDEX email_asked_at ON email (asked_at);

-- +goose Down
DROP TABLE email;
