-- +goose Up
-- The audit records get the indexes that an admin searches them by, seals, and on PostgreSQL
-- a partition for each month. A line that begins with --postgres is a statement of that engine only.
-- The version before writes to the new table by the same name and columns.
ALTER TABLE audit RENAME TO audit_before;

CREATE TABLE audit (
    id         TEXT
--postgres COLLATE "C" -- seals need the order of SQLite
               NOT NULL,
    at         BIGINT NOT NULL,
    name       TEXT   NOT NULL, -- of the event: audit.Name
    account_id TEXT   NOT NULL, -- '' for none; no reference, because records outlive accounts
    actor      TEXT   NOT NULL, -- self, stranger, operator, or admin: with an account
    peer       TEXT   NOT NULL, -- the network
    user_agent TEXT   NOT NULL,
    request_id TEXT   NOT NULL, -- as in the log entries of the request
    detail     TEXT   NOT NULL, -- ids and stable words, never what a visitor typed
    seal       BIGINT NOT NULL DEFAULT 0, -- of a record that came too late for the seal of its time: its own seal, or -1 for none yet; 0 for all others
    PRIMARY KEY (at, id)
)
--postgres PARTITION BY RANGE (at)
;
-- Portico makes the partition of each month in advance, and drops whole months. This one has
-- what no other has.
--postgres CREATE TABLE audit_default PARTITION OF audit DEFAULT;

-- The records of one account, admin, network or kind, by time. Two indexes leave out the most
-- frequent value, of which a look at the newest records finds enough.
CREATE INDEX audit_of_account ON audit (account_id, at);
CREATE INDEX audit_of_actor ON audit (actor, at) WHERE actor <> 'self';
CREATE INDEX audit_of_peer ON audit (peer, at);
CREATE INDEX audit_of_name ON audit (name, at) WHERE name <> 'signed_in';
CREATE INDEX audit_of_seal ON audit (seal) WHERE seal <> 0;

INSERT INTO audit (id, at, name, account_id, actor, peer, user_agent, request_id, detail)
    SELECT id, at, name, account_id, actor, peer, user_agent, request_id, detail FROM audit_before;
DROP TABLE audit_before;

-- The chain of seals over the audit records. A seal covers the records between the one before
-- and its last one, and those that came too late and name it. Its hash covers these records
-- and the hash before.
CREATE TABLE audit_seal (
    number    BIGINT NOT NULL PRIMARY KEY, -- without a gap
    first_at  BIGINT NOT NULL, -- of its records in the range
    last_at   BIGINT NOT NULL, -- the end of the range
    last_id   TEXT   NOT NULL,
    records   BIGINT NOT NULL,
    sealed_at BIGINT NOT NULL,
    hash      BYTEA  NOT NULL  -- keyed with audit_chain.sealed
);

-- One row: where the chain begins. Old seals are deleted together with their records.
CREATE TABLE audit_chain (
    id       TEXT   NOT NULL PRIMARY KEY, -- 'audit'
    sealed   BYTEA  NOT NULL, -- the key of the hashes, sealed with the master key
    began_at BIGINT NOT NULL,
    number   BIGINT NOT NULL, -- of the last seal that was deleted; 0 for none
    hash     BYTEA  NOT NULL, -- its hash
    until    BIGINT NOT NULL, -- records from before this time may be deleted
    proof    BYTEA  NOT NULL  -- a keyed hash of this row
);
