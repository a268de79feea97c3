-- +goose Up
-- Accounts that wait for an approval, and of which the admins have not been told.
CREATE TABLE applicant (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE
);
