"""Verifies the token that Portico adds to each request."""

import dataclasses
import datetime

import jwt

from .faults import Refused

LEEWAY = 10  # seconds by which two clocks may differ
MAX_TOKEN = 8 << 10  # bounds what is parsed before anything is known of its sender


@dataclasses.dataclass(frozen=True)
class Person:
    """The signed-in user."""

    id: str  # never changes and is never given to another account: store this
    email: str  # verified; may change
    name: str  # may be empty
    roles: tuple[str, ...]
    methods: tuple[str, ...]  # the proofs of the sign-in: "password", "mail", "passkey", then "totp" and so on
    session_id: str  # tells the sessions of a person apart
    authenticated_at: datetime.datetime


def verify(token, keys, issuer, audience):
    """Returns the person whom a token is about. Raises Refused, or Unavailable without keys."""
    try:
        return _person(_claims(token, keys), issuer, audience)
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise Refused(str(error)) from error


def _claims(token, keys):
    if len(token) > MAX_TOKEN:
        raise jwt.InvalidTokenError("this is no token")
    header = jwt.get_unverified_header(token)
    if header.get("alg") != "ES256" or header.get("typ") != "JWT":
        raise jwt.InvalidTokenError("this is no token of Portico")
    return jwt.decode(
        token,
        keys.get_signing_key(header.get("kid")).key,
        algorithms=["ES256"],  # never from the token (RFC 8725 3.1)
        leeway=LEEWAY,
        options={"require": ["iss", "aud", "sub", "exp", "iat"], "verify_aud": False},  # _person does, and says what it expects
    )


def _person(claims, issuer, audience):
    if claims["iss"] != issuer:
        raise jwt.InvalidIssuerError(f"the token is from {claims['iss']}, and this app trusts {issuer}")
    if claims["aud"] != audience:
        raise jwt.InvalidAudienceError(f"the token is for {claims['aud']}, and this app is {audience}")
    if not isinstance(claims["sub"], str) or not claims["sub"]:
        raise jwt.InvalidTokenError("the token has no subject")
    return Person(
        id=claims["sub"],
        email=claims.get("email", ""),
        name=claims.get("name", ""),
        roles=tuple(claims.get("roles", ())),
        methods=tuple(claims.get("amr", ())),
        session_id=claims.get("sid", ""),
        authenticated_at=datetime.datetime.fromtimestamp(claims.get("auth_time", 0), datetime.timezone.utc),
    )
