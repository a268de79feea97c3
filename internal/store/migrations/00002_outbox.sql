-- +goose Up
CREATE TABLE outbox (
    id         TEXT   NOT NULL PRIMARY KEY,
    template   TEXT   NOT NULL,
    account_id TEXT   NOT NULL, -- '' when there is none; a notice of a deleted account is still sent
    payload    BYTEA  NOT NULL, -- sealed under the id
    created_at BIGINT NOT NULL,
    not_after  BIGINT NOT NULL, -- 0: no end
    due_at     BIGINT NOT NULL, -- while claimed: the end of the lease
    dead_at    BIGINT NOT NULL, -- 0: alive
    claims     BIGINT NOT NULL,
    failures   BIGINT NOT NULL,
    uncertain  BIGINT NOT NULL,
    reason     TEXT   NOT NULL
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE dead_at = 0;
CREATE INDEX outbox_dead ON outbox (dead_at) WHERE dead_at > 0;

-- +goose Down
DROP TABLE outbox;
