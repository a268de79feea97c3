"""The keys that Portico signs with."""

import json
import logging
import threading
import time
import urllib.request

import jwt

from .faults import Unavailable

ANSWER_TIME = 5
RETRY_AFTER = 2  # seconds between two fetches
MAX_ANSWER = 64 << 10

log = logging.getLogger(__name__)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """By a redirect, another server would say what the keys are."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Keys(jwt.PyJWKClient):
    """Kept for five minutes, fetched by one thread for all, at most every two seconds."""

    def __init__(self, url, host):
        super().__init__(url, lifespan=300)
        self._request = urllib.request.Request(url, headers={"Host": host, "Accept": "application/json"})
        self._lock, self._asked, self._known = threading.Lock(), float("-inf"), None

    def fetch_data(self):
        with self._lock:
            if time.monotonic() - self._asked >= RETRY_AFTER:
                self._known = None
                try:
                    self._known = self._fetch()
                except Unavailable as error:
                    log.warning("%s", error)
                    raise
                finally:
                    self._asked = time.monotonic()  # its end: who has waited for a slow one does not fetch again
                self.jwk_set_cache.put(self._known)
            if self._known is None:
                raise Unavailable("Portico does not answer")
            return self._known

    def _fetch(self):
        try:
            with _opener.open(self._request, timeout=ANSWER_TIME) as response:
                answer = json.loads(response.read(MAX_ANSWER))
            if not any(key.key_id and key.public_key_use == "sig" for key in jwt.PyJWKSet.from_dict(answer).keys):
                raise ValueError("there is no key to verify with in the set")
            return answer
        except Exception as error:  # a library meets an answer that is no set in many ways, and none may be cached
            raise Unavailable(f"cannot fetch {self.uri}, is Portico there? {error}") from error
