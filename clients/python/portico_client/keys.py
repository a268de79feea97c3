"""The keys that Portico signs with."""

import contextlib
import json
import logging
import threading
import time
import urllib.request

import jwt

from .faults import Unavailable

ANSWER_TIME = 5
REFRESH_AFTER = 3 * 60  # fetched again in the background
KEEP_FOR = 5 * 60  # then requests wait
STALE_FOR = 15 * 60  # while Portico does not answer
RETRY_AFTER = 2  # seconds between two fetches
MAX_ANSWER = 64 << 10

log = logging.getLogger(__name__)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """By a redirect, another server would say what the keys are."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Keys(jwt.PyJWKClient):
    """One thread fetches for all, at most every two seconds."""

    def __init__(self, url, host):
        super().__init__(url)
        self._request = urllib.request.Request(url, headers={"Host": host, "Accept": "application/json"})
        self._lock, self._asked, self._failed = threading.Lock(), float("-inf"), None
        self._known, self._as_of = None, float("-inf")

    def get_signing_key(self, kid):
        try:
            return super().get_signing_key(kid)
        except jwt.PyJWKClientError as error:
            if self._failed:  # the key may be a new one
                raise Unavailable(str(self._failed)) from error
            raise

    def get_jwk_set(self, refresh=False):
        """Called for each token, and with refresh for a key that is not in the set."""
        age = time.monotonic() - self._as_of
        if not refresh and (age < KEEP_FOR or self._holds()):
            if age >= REFRESH_AFTER and self._due() and not self._lock.locked():
                with contextlib.suppress(RuntimeError):  # no thread can be started: later, requests wait
                    threading.Thread(target=self._fetch_beside, daemon=True).start()
            return self._known
        if not self._lock.acquire(blocking=not self._holds()):
            return self._known  # another thread asks whether Portico is back
        try:
            if self._due():
                self._refresh()
            if self._failed and not self._holds():
                raise Unavailable(str(self._failed))
            return self._known
        finally:
            self._lock.release()

    def _holds(self):
        """Whether the former set stands in for one that cannot be fetched."""
        return self._failed is not None and time.monotonic() - self._as_of < STALE_FOR

    def _due(self):
        return time.monotonic() - self._asked >= RETRY_AFTER

    def _fetch_beside(self):
        with self._lock:
            if self._due():
                self._refresh()

    def _refresh(self):
        began = time.monotonic()
        try:
            self._known, self._as_of, self._failed = self._fetch(), began, None
        except Unavailable as error:
            log.warning("%s", error)
            self._failed = error
        finally:
            self._asked = time.monotonic()  # its end: who has waited for a slow one does not fetch again

    def _fetch(self):
        try:
            with _opener.open(self._request, timeout=ANSWER_TIME) as response:
                answer = jwt.PyJWKSet.from_dict(json.loads(response.read(MAX_ANSWER)))
            if not any(key.key_id and key.public_key_use == "sig" for key in answer.keys):
                raise ValueError("there is no key to verify with in the set")
            return answer
        except Exception as error:  # a library meets an answer that is no set in many ways, and none may be cached
            raise Unavailable(f"cannot fetch {self.uri}, is Portico there? {error}") from error
