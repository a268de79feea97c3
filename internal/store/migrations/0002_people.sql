-- +goose Up
-- What the list of people is searched by. Both tables repeat what other tables have, in the
-- form of an index. Portico fills them right after this migration, and then compares them
-- with the accounts once a day: a node of the version before may have changed an account.

-- One row for each account. Its keys are bytes, because bytes have the same order in both
-- engines and in any collation.
CREATE TABLE person (
    account_id  TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    address_key BYTEA  NOT NULL, -- account.address_key
    name_key    BYTEA  NOT NULL, -- account.name in small letters
    state       TEXT   NOT NULL, -- account.state
    roles       TEXT   NOT NULL, -- account.roles
    factors     BIGINT NOT NULL, -- 0 none, 1 authenticator app, 2 passkey, 3 both
    seen_at     BIGINT NOT NULL, -- of the last use of any session, at most an hour too early
    created_at  BIGINT NOT NULL  -- account.created_at
);
CREATE INDEX person_address ON person (address_key, account_id);
CREATE INDEX person_name ON person (name_key, account_id);
CREATE INDEX person_state ON person (state, account_id) WHERE state <> 'active';
CREATE INDEX person_factors ON person (factors, account_id);
CREATE INDEX person_seen ON person (seen_at, account_id);
CREATE INDEX person_created ON person (created_at, account_id);

-- One row for each role of each account.
CREATE TABLE account_role (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    role       TEXT NOT NULL,
    PRIMARY KEY (account_id, role)
);
CREATE INDEX account_role_role ON account_role (role, account_id);
