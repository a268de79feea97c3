"""How a request is answered that is not served: as Portico's own gateway does."""

import dataclasses
import http
import json
import urllib.parse


@dataclasses.dataclass(frozen=True)
class Asked:
    """A request. The names of its headers are in small letters."""

    method: str
    target: str  # path and query
    headers: dict[str, str]


@dataclasses.dataclass(frozen=True)
class Answer:
    status: int
    headers: list[tuple[str, str]]
    body: bytes = b""

    @property
    def line(self):
        return f"{self.status} {http.HTTPStatus(self.status).phrase}"


def problem(status, code, title, **more):
    """An error (RFC 9457)."""
    body = {"type": f"urn:portico:error:{code}", "status": status, "code": code, "title": title, "retry_after": 0, **more}
    headers = [("content-type", "application/problem+json"), ("cache-control", "no-store")]
    if body["retry_after"]:
        headers.append(("retry-after", str(body["retry_after"])))
    return Answer(status, headers, json.dumps(body).encode())


def refused(error):
    # Not the sign-in page: a user with a session would come back with the same token, in a loop.
    return problem(401, "token.refused", "The sign-in of this request is not valid.", detail=str(error))


def unavailable():
    return problem(503, "unavailable", "This is not available at the moment. Try again in a few seconds.", retry_after=2)


def sign_in(asked, public):
    """Leads a navigation to the sign-in page and back, and tells any other request where that page is."""
    origin = f"{public.scheme}://{public.netloc}"
    page, more = f"{origin}/auth/signin", {}
    # At the app's own port, this is where a redirect has led: another one would loop.
    if past := asked.target.startswith("/auth/"):
        more["detail"] = f"Portico answers /auth/, and this request came past it: open {origin} instead"
    if past or not _navigates(asked):
        return problem(401, "session.required", "Sign in to continue.", signin_url=page, **more)
    host = asked.headers.get("host", "")
    here = f"{public.scheme}://{host}"
    back = urllib.parse.quote(_back(asked, here), safe="")
    # On a host of its own an app has no session until one is brought there from Portico's, by /auth/enter.
    to = f"{page}?return_to={back}" if host == public.netloc else f"{here}/auth/enter?to={back}"
    return Answer(303, [("location", to), ("cache-control", "no-store")])


def _navigates(asked):
    headers, accept = asked.headers, asked.headers.get("accept", "").lower()
    # A client that takes JSON and no page never navigates.
    if "upgrade" in headers or ("json" in accept and "html" not in accept):
        return False
    # Browsers tell a navigation by Fetch Metadata. An Accept with text/html proves nothing: scripts send any type.
    if mode := headers.get("sec-fetch-mode"):
        return mode == "navigate" and headers.get("sec-fetch-dest", "document") == "document"
    return asked.method in ("GET", "HEAD") and "x-requested-with" not in headers


def _back(asked, here):
    """What was asked for, or the page whose form was sent, which the browser cannot send again."""
    if asked.method in ("GET", "HEAD"):
        return asked.target
    page = asked.headers.get("referer", "")
    return page[len(here) :] if page.startswith(f"{here}/") else "/"
