-- +goose Up
-- Long work that an admin begins and the background work carries out, such as a change of
-- many people. A step changes its item and this row in one transaction, so a job goes on
-- after a kill, and does nothing twice. A row is deleted seven days after its end.
CREATE TABLE job (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE, -- the admin who began it
    version    BIGINT NOT NULL, -- the flow version of the account at that time
    peer       TEXT   NOT NULL, -- of the request that began it, as user_agent and request_id
    user_agent TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL, -- what it does
    input      TEXT   NOT NULL, -- to what, as JSON
    total      BIGINT NOT NULL, -- items at the beginning, an estimate
    created_at BIGINT NOT NULL,
    state      TEXT   NOT NULL, -- running, done, failed
    why        TEXT   NOT NULL, -- why it failed; '' if it did not
    step       BIGINT NOT NULL, -- raised by each change of the row
    place      TEXT   NOT NULL, -- where the next step begins
    done       BIGINT NOT NULL, -- items, including the skipped ones
    skips      BIGINT NOT NULL, -- skipped items
    skipped    TEXT   NOT NULL, -- the first of them with the reason, as JSON
    ended_at   BIGINT NOT NULL  -- 0 while it runs
);
CREATE UNIQUE INDEX job_running ON job (account_id) WHERE state = 'running';
CREATE INDEX job_ended ON job (ended_at);
CREATE INDEX job_account ON job (account_id);
