"""
A webhook receiver on Django: a view for the urls.py of a project. As a server of its own:
CUPEL_WEBHOOK_SECRET=whsec_… python django_receiver.py runserver --noreload
"""

import os
import sys

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from cupel import WebhookVerificationError, webhooks
from take_message import take_message


# The signature says who sends; the service has no token of a form.
@csrf_exempt
@require_POST
def receive(request: HttpRequest) -> HttpResponse:
    try:
        # The body as it came: a body that was parsed cannot be verified.
        message = webhooks.verify(request.body, request.headers, os.environ["CUPEL_WEBHOOK_SECRET"])
    except WebhookVerificationError:
        return HttpResponse(status=400)
    take_message(message)
    return HttpResponse(status=204)


urlpatterns = [path("cupel", receive)]

if __name__ == "__main__":
    from django.core.management import execute_from_command_line

    # Messages with results are larger than the 2.5 MiB that Django takes by itself.
    settings.configure(
        ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], DATA_UPLOAD_MAX_MEMORY_SIZE=16 * 1024 * 1024
    )
    execute_from_command_line(sys.argv)
