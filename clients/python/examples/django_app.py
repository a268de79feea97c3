"""A Django app in one file: `python3 django_app.py 3000`. A project has the last line in its wsgi.py."""

import os
import sys
import wsgiref.simple_server

import django.conf
import django.core.wsgi
import django.http
import django.urls
from portico_client import Portico

portico = Portico(os.environ.get("PORTICO", "http://localhost:8080"))  # public_url of Portico


def hello(request):
    person = request.META["portico"]
    if request.path == "/admin" and "admin" not in person.roles:
        return django.http.HttpResponseForbidden()
    return django.http.HttpResponse(f"Hello, {person.name or person.email}")


django.conf.settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"])
urlpatterns = [django.urls.re_path("", hello)]
application = portico.wsgi(django.core.wsgi.get_wsgi_application())

if __name__ == "__main__":
    wsgiref.simple_server.make_server("127.0.0.1", int(sys.argv[1]), application).serve_forever()
