class Refused(Exception):
    """The token does not come from Portico, is for another app, or has expired."""


class Unavailable(Exception):
    """The user is not known at the moment, because Portico does not answer."""
