-- +goose Up
-- What people bring with them from another system.

-- Accounts whose primary address nobody has proven yet. A sign-in to such an account proves
-- the address first. No row: the address is proven.
CREATE TABLE unproven_address (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    since      BIGINT NOT NULL
);

-- What another system calls an account. OpenID clients that ask for it get it as the subject.
CREATE TABLE imported_subject (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    issuer     TEXT NOT NULL, -- the other system
    subject    TEXT NOT NULL
);
CREATE UNIQUE INDEX imported_subject_subject ON imported_subject (subject); -- clients see one issuer, so it is unique among all

-- What the client of a grant calls the user: '' for account_id.
ALTER TABLE openid_grant ADD COLUMN subject TEXT NOT NULL DEFAULT '';

-- How an authenticator app makes its codes. Apps that Portico has added use these values.
ALTER TABLE factor ADD COLUMN digits BIGINT NOT NULL DEFAULT 6;
ALTER TABLE factor ADD COLUMN period BIGINT NOT NULL DEFAULT 30; -- seconds
ALTER TABLE factor ADD COLUMN algorithm TEXT NOT NULL DEFAULT 'SHA1';
