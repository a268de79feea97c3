-- +goose Up
-- What users let OpenID clients know.
CREATE TABLE openid_consent (
    account_id TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    client_id  TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,
    given_at   BIGINT NOT NULL,
    PRIMARY KEY (account_id, client_id)
);

-- +goose Down
DROP TABLE openid_consent;
