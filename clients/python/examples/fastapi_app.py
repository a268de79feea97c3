"""A FastAPI app: `uvicorn --port 3000 fastapi_app:app`."""

import os

from fastapi import Depends, FastAPI, HTTPException, Request
from fastapi.responses import PlainTextResponse
from portico_client import Person, Portico

portico = Portico(os.environ.get("PORTICO", "http://localhost:8080"))  # public_url of Portico
app = FastAPI()
app.add_middleware(portico.asgi)


def person(request: Request) -> Person:
    return request.scope["portico"]


def admin(user: Person = Depends(person)) -> Person:
    if "admin" not in user.roles:
        raise HTTPException(403)
    return user


@app.get("/admin")
def administer(user: Person = Depends(admin)):
    return {"admin": user.email}


@app.get("/{path:path}", response_class=PlainTextResponse)
def hello(user: Person = Depends(person)):
    return f"Hello, {user.name or user.email}"
