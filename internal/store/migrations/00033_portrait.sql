-- +goose Up
-- The pictures that users give, one for each account.
CREATE TABLE portrait (
    account_id TEXT   NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    id         TEXT   NOT NULL UNIQUE, -- random, a part of the picture's address
    image      BYTEA  NOT NULL,        -- JPEG, drawn by this server
    changed_at BIGINT NOT NULL
);

-- +goose Down
DROP TABLE portrait;
