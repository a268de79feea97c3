-- +goose Up
-- Events of accounts for the webhooks of the settings: the queue and the log of it. A row has no
-- personal data of the account, because the body is made when it is sent. It is deleted a week
-- after its end, or when the settings no longer have the webhook.
CREATE TABLE webhook_delivery (
    id         TEXT   NOT NULL PRIMARY KEY, -- webhook-id: the same at each attempt
    webhook    TEXT   NOT NULL,             -- its name in the settings
    account_id TEXT   NOT NULL,             -- no reference, because the deletion of an account is told
    seq        BIGINT NOT NULL,             -- the order among the rows of the account that have not ended
    type       TEXT   NOT NULL,             -- of the event, as apps know it
    change     TEXT   NOT NULL,             -- the name of the audit record
    actor      TEXT   NOT NULL,             -- the kind of the actor, without an id
    at         BIGINT NOT NULL,             -- of the event
    state      TEXT   NOT NULL,             -- waiting, held (an earlier row of the account has not ended), delivered, dropped
    due_at     BIGINT NOT NULL,             -- the next attempt; while it is claimed, the end of the lease
    until_at   BIGINT NOT NULL,             -- a failure after that is the last one
    claims     BIGINT NOT NULL,             -- how often a node has taken it; never goes down
    failures   BIGINT NOT NULL,
    status     BIGINT NOT NULL,             -- of the last HTTP response; 0 without one
    answer     TEXT   NOT NULL,             -- the beginning of that response, or what failed
    tried_at   BIGINT NOT NULL,             -- the last attempt; 0 before the first
    ended_at   BIGINT NOT NULL              -- when it was delivered or dropped; 0 before
);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, due_at) WHERE state = 'waiting';
CREATE INDEX webhook_delivery_order ON webhook_delivery (webhook, account_id, seq) WHERE ended_at = 0;
CREATE INDEX webhook_delivery_log ON webhook_delivery (webhook, at, id);
CREATE INDEX webhook_delivery_ended ON webhook_delivery (ended_at) WHERE ended_at > 0;
CREATE INDEX webhook_delivery_account ON webhook_delivery (account_id);
