-- +goose Up
-- Second factors, and the recovery codes that are not used yet. A row of either is counted: a factor
-- that is being added is in its flow.
CREATE TABLE factor (
    id         TEXT   NOT NULL PRIMARY KEY,
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind       TEXT   NOT NULL,
    sealed     BYTEA  NOT NULL,
    last_step  BIGINT NOT NULL, -- of a time-based code: an older or the same step is refused
    created_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL
);
CREATE INDEX factor_account ON factor (account_id);

CREATE TABLE recovery_code (
    account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    selector   TEXT NOT NULL, -- the first characters of the code
    hash       TEXT NOT NULL,
    PRIMARY KEY (account_id, selector)
);

-- When a second factor was last given; 0 for never.
ALTER TABLE session ADD COLUMN strong_at BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE session DROP COLUMN strong_at;
DROP TABLE recovery_code;
DROP TABLE factor;
