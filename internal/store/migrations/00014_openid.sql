-- +goose Up
-- What a user's sign-in gave an OpenID client. Codes and tokens name the row and have a keyed hash, so they need none of their own.
CREATE TABLE openid_grant (
    id           TEXT   NOT NULL PRIMARY KEY,
    client_id    TEXT   NOT NULL,
    account_id   TEXT   NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    version      BIGINT NOT NULL, -- credential version of the account
    session_id   TEXT   NOT NULL, -- no reference: a grant may outlive its session
    sid          TEXT   NOT NULL,
    scopes       TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    challenge    TEXT   NOT NULL,
    nonce        TEXT   NOT NULL,
    methods      TEXT   NOT NULL,
    signed_in_at BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL, -- of the code; of the grant once the code is redeemed
    redeemed_at  BIGINT NOT NULL, -- 0: not redeemed
    ended_at     BIGINT NOT NULL, -- 0: not ended
    rotated_at   BIGINT NOT NULL,
    generation   BIGINT NOT NULL, -- of the newest refresh token
    access_from  BIGINT NOT NULL  -- access tokens of earlier generations are revoked
);
CREATE INDEX openid_grant_account ON openid_grant (account_id);
CREATE INDEX openid_grant_session ON openid_grant (session_id);
CREATE INDEX openid_grant_expiry ON openid_grant (expires_at);

-- +goose Down
DROP TABLE openid_grant;
