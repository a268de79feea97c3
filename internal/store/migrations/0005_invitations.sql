-- +goose Up
-- Invitations to make an account: of one address, or a link for many people. A row is deleted
-- 30 days after its end, or with the account that it made.
CREATE TABLE invitation (
    id              TEXT   NOT NULL PRIMARY KEY, -- in the order of their times
    link_hash       BYTEA  NOT NULL UNIQUE,      -- hash of the token in the link
    address         TEXT   NOT NULL,             -- '' for a link for many, as address_key
    address_key     TEXT   NOT NULL,
    roles           TEXT   NOT NULL,             -- of the account, as in account
    account_ends_at BIGINT NOT NULL,             -- when the account closes; 0 for never
    words           TEXT   NOT NULL,             -- of the admin, in the email
    invited_by      TEXT   NOT NULL,             -- an actor, as in audit
    most            BIGINT NOT NULL,             -- accounts that it may make
    used            BIGINT NOT NULL,             -- accounts that it has made
    state           TEXT   NOT NULL,             -- open, used, ended, replaced
    created_at      BIGINT NOT NULL,
    ends_at         BIGINT NOT NULL,
    opened_at       BIGINT NOT NULL,             -- first; 0 for never
    used_at         BIGINT NOT NULL,             -- last; 0 for never
    account_id      TEXT   NOT NULL,             -- made by an invitation of one address, else ''
    message_id      TEXT   NOT NULL              -- its email in outbox and email_outcome; '' without one
);
CREATE UNIQUE INDEX invitation_address ON invitation (address_key) WHERE state = 'open' AND address_key > '';
CREATE INDEX invitation_end ON invitation (ends_at);
CREATE INDEX invitation_account ON invitation (account_id) WHERE account_id > '';
