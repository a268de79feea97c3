"""Tells a web app who is signed in at Portico."""

from .faults import Refused, Unavailable
from .middleware import Portico
from .tokens import Person

__all__ = ["Person", "Portico", "Refused", "Unavailable"]
