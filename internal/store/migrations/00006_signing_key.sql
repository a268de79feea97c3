-- +goose Up
CREATE TABLE signing_key (
    id         TEXT   NOT NULL PRIMARY KEY,
    generation BIGINT NOT NULL UNIQUE, -- of nodes that rotate at the same time one adds a key
    sealed     BYTEA  NOT NULL,        -- the private key, under the id
    created_at BIGINT NOT NULL,
    signs_at   BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL         -- 0: not revoked
);

-- +goose Down
DROP TABLE signing_key;
