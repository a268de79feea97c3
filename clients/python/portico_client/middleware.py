"""Middleware for WSGI (Django, Flask) and ASGI (FastAPI, Starlette, Django)."""

import asyncio
import logging
import re
import urllib.parse

from . import answers, tokens
from .answers import Answer, Asked
from .faults import Refused, Unavailable
from .keys import Keys

log = logging.getLogger(__name__)

LOOPBACK = re.compile(r"localhost|.+\.localhost|127\.\d+\.\d+\.\d+|::1")


class Portico:
    """Identifies the signed-in user. An app makes one. It sends no request until it is used.

    public_url is the setting of Portico, audience the name of the app there. address is where the app reaches
    Portico, when that is not its public URL. The network between must be yours.
    """

    def __init__(self, public_url, audience="app", address=""):
        self._public, at = _origin(public_url), _origin(address or public_url)
        if self._public.scheme == "http" and not LOOPBACK.fullmatch(self._public.hostname):
            raise ValueError(f"{public_url} must begin with https://: without it anybody on the way can replace the keys")
        self._issuer, self._audience = f"{self._public.scheme}://{self._public.netloc}", audience
        self._keys = Keys(f"{at.scheme}://{at.netloc}/.well-known/jwks.json", self._public.netloc)

    def verify(self, token):
        """The Person whom a token is about. Raises Refused or Unavailable."""
        return tokens.verify(token, self._keys, self._issuer, self._audience)

    def wsgi(self, app, optional=False):
        """Wraps an app: environ["portico"] is the Person. Who is not signed in is led to the sign-in page, or is None
        if that is optional."""

        def served(environ, start_response):
            found = self._admit(_of_wsgi(environ), optional)
            if isinstance(found, Answer):
                start_response(found.line, found.headers)
                return [found.body]
            environ["portico"] = found
            return app(environ, start_response)

        return served

    def asgi(self, app, optional=False):
        """The same for ASGI: scope["portico"]."""

        async def served(scope, receive, send):
            if scope["type"] not in ("http", "websocket"):
                return await app(scope, receive, send)
            # Another thread may wait for the keys.
            found = await asyncio.to_thread(self._admit, _of_asgi(scope), optional)
            if not isinstance(found, Answer):
                return await app({**scope, "portico": found}, receive, send)
            if scope["type"] == "websocket":
                return await send({"type": "websocket.close", "code": 1008})
            headers = [(name.encode(), value.encode("latin-1")) for name, value in found.headers]
            await send({"type": "http.response.start", "status": found.status, "headers": headers})
            await send({"type": "http.response.body", "body": found.body})

        return served

    def _admit(self, asked, optional):
        """The user who sent a request, None without one, or what is answered."""
        token = asked.headers.get("x-portico-token")
        try:
            if token:
                return self.verify(token)
        except Refused as error:
            log.warning("a request is refused: %.300r", str(error))  # quoted: the sender may have chosen a part
            return answers.refused(error)
        except Unavailable:
            return answers.unavailable()
        return None if optional else answers.sign_in(asked, self._public)


def _origin(url):
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/") or parts.query or parts.username:
        raise ValueError(f"{url} is not of the form https://example.com")
    usual = ":443" if parts.scheme == "https" else ":80"  # Portico leaves it out, too
    return parts._replace(netloc=parts.netloc.lower().removesuffix(usual))


def _of_wsgi(environ):
    path = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    query = environ.get("QUERY_STRING", "")
    target = urllib.parse.quote(path.encode("latin-1"), safe="/:@!$&'()*+,;=~") + (f"?{query}" if query else "")
    headers = {name[5:].replace("_", "-").lower(): value for name, value in environ.items() if name.startswith("HTTP_")}
    return Asked(environ["REQUEST_METHOD"], target or "/", headers)


def _of_asgi(scope):
    path = scope.get("raw_path") or urllib.parse.quote(scope["path"]).encode()
    query = scope.get("query_string", b"")
    headers = {}
    for name, value in scope["headers"]:  # names in small letters
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return Asked(scope.get("method", "GET"), (path + (b"?" + query if query else b"")).decode("latin-1"), headers)
