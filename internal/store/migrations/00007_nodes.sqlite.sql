-- +goose Up
-- Who does what only one process may do. The form for PostgreSQL has more.
CREATE TABLE lease (
    name  TEXT   NOT NULL PRIMARY KEY,
    owner TEXT   NOT NULL, -- '' when it was given back
    beat  BIGINT NOT NULL  -- goes up while the owner is alive
);

-- +goose Down
DROP TABLE lease;
