-- +goose Up
-- One row: what tells the master key of this database from any other.
CREATE TABLE installation (
    id        BIGINT NOT NULL PRIMARY KEY,
    key_check BYTEA  NOT NULL
);

-- +goose Down
DROP TABLE installation;
