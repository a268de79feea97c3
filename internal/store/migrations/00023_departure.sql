-- +goose Up
-- Accounts that their owners have closed, and when they are erased.
CREATE TABLE departure (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    left_at    BIGINT NOT NULL,
    erase_at   BIGINT NOT NULL
);
CREATE INDEX departure_erase ON departure (erase_at);

-- +goose Down
DROP TABLE departure;
