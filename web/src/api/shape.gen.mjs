// Made from the handlers by go generate ./internal/server/api; do not edit.

/** @type {import('./schema.gen').Boot} */
export const SHAPE = {
  "screen": "signin",
  "locale": "",
  "locales": [
    {
      "id": "",
      "name": ""
    }
  ],
  "here": "",
  "brand": {
    "name": "",
    "logo": ""
  },
  "legal": {
    "imprint": "",
    "privacy": "",
    "terms": "",
    "terms_version": ""
  },
  "settings": {
    "signup": "",
    "name": "",
    "password_min": 0,
    "password_max": 0,
    "code_length": 0,
    "code_minutes": 0,
    "signin_code": "",
    "providers": "",
    "passkeys": "",
    "trust": "",
    "tokens": ""
  },
  "sender": "",
  "providers": [
    {
      "id": "",
      "name": "",
      "icon": "",
      "picture": "",
      "last": ""
    }
  ],
  "return_to": "",
  "values": {
    "name": "",
    "email": "",
    "terms": ""
  },
  "errors": {
    "form": "",
    "code": "",
    "request_id": "",
    "retry_after": 0,
    "fields": {
      "name": "",
      "email": "",
      "password": "",
      "confirm_password": "",
      "code": "",
      "terms": ""
    }
  },
  "notice": "",
  "again": "",
  "success": "",
  "flow": {
    "id": "",
    "kind": "",
    "state": "",
    "email": "",
    "sent_at": 0,
    "expires_at": 0,
    "resend_at": 0,
    "now": 0,
    "next": ""
  },
  "link": {
    "state": "",
    "mark": "",
    "kind": "",
    "address": "",
    "email": "",
    "age": ""
  },
  "session": {
    "id": "",
    "email": "",
    "name": ""
  },
  "account": {
    "password": "",
    "languages": [
      {
        "id": "",
        "name": "",
        "chosen": ""
      }
    ],
    "history": [
      {
        "id": "",
        "text": "",
        "at": "",
        "day": "",
        "begins": "",
        "time": "",
        "where": "",
        "signin": "",
        "signout": "",
        "failed": ""
      }
    ],
    "signins": "",
    "older": "",
    "apps": [
      {
        "id": "",
        "name": "",
        "scopes": "",
        "since": {
          "at": "",
          "words": ""
        }
      }
    ],
    "browsers": [
      {
        "id": "",
        "name": "",
        "used": {
          "at": "",
          "words": ""
        },
        "until": {
          "at": "",
          "words": ""
        },
        "here": ""
      }
    ],
    "providers": [
      {
        "id": "",
        "name": "",
        "since": {
          "at": "",
          "words": ""
        }
      }
    ],
    "erase_at": {
      "at": "",
      "words": ""
    },
    "picture": "",
    "initials": "",
    "sessions": [
      {
        "id": "",
        "name": "",
        "phone": "",
        "since": {
          "at": "",
          "words": ""
        },
        "place": "",
        "by": "",
        "seen": {
          "at": "",
          "words": ""
        },
        "active": "",
        "here": ""
      }
    ],
    "others": "",
    "addresses": [
      {
        "id": "",
        "address": "",
        "recovery": "",
        "until": {
          "at": "",
          "words": ""
        }
      }
    ],
    "primary": "",
    "alerts": [
      {
        "id": "",
        "text": "",
        "page": ""
      }
    ],
    "states": {
      "addresses": "",
      "password": "",
      "passkeys": "",
      "factors": "",
      "weak": "",
      "sessions": "",
      "browsers": "",
      "providers": "",
      "apps": ""
    }
  },
  "client": {
    "request": "",
    "name": "",
    "mark": "",
    "host": "",
    "asked": "",
    "scopes": [
      {
        "id": "",
        "text": ""
      }
    ],
    "unknown": ""
  },
  "device": {
    "state": "",
    "code": ""
  },
  "mfa": {
    "way": "",
    "app": "",
    "passkey": "",
    "recovery": "",
    "second": "",
    "shortest": "",
    "longest": "",
    "moved": "",
    "trust": "",
    "trusting": ""
  },
  "factors": {
    "state": "",
    "list": [
      {
        "id": "",
        "added": {
          "at": "",
          "words": ""
        },
        "used": {
          "at": "",
          "words": ""
        },
        "last": ""
      }
    ],
    "full": "",
    "left": "",
    "few": "",
    "secret": "",
    "uri": "",
    "qr": "",
    "size": "",
    "codes": [
      {
        "id": ""
      }
    ],
    "made": ""
  },
  "protect": {
    "later": "",
    "until": {
      "at": "",
      "words": ""
    }
  },
  "passkeys": {
    "list": [
      {
        "id": "",
        "name": "",
        "typed": "",
        "added": {
          "at": "",
          "words": ""
        },
        "used": {
          "at": "",
          "words": ""
        },
        "other": "",
        "last": "",
        "credential": ""
      }
    ],
    "full": "",
    "alone": "",
    "rp_id": "",
    "user_id": ""
  },
  "tokens": {
    "list": [
      {
        "id": "",
        "name": "",
        "app": "",
        "roles": "",
        "used": {
          "at": "",
          "words": ""
        },
        "until": {
          "at": "",
          "words": ""
        }
      }
    ],
    "apps": [
      {
        "id": "",
        "name": "",
        "chosen": ""
      }
    ],
    "roles": [
      {
        "id": "",
        "name": "",
        "chosen": ""
      }
    ],
    "lives": [
      {
        "id": "",
        "name": "",
        "chosen": ""
      }
    ],
    "nonce": "",
    "full": "",
    "made": ""
  },
  "status": 0,
  "title": "",
  "detail": "",
  "next": "",
  "next_label": "",
  "back": "",
  "back_label": ""
};
