"""A webhook receiver on FastAPI: CUPEL_WEBHOOK_SECRET=whsec_… uvicorn fastapi_receiver:app"""

import os

from fastapi import FastAPI, Request, Response

from cupel import WebhookVerificationError, webhooks
from take_message import take_message

app = FastAPI()


@app.post("/cupel")
async def receive(request: Request) -> Response:
    # The body as it came: a body that was parsed cannot be verified.
    body = await request.body()
    try:
        message = webhooks.verify(body, request.headers.items(), os.environ["CUPEL_WEBHOOK_SECRET"])
    except WebhookVerificationError:
        return Response(status_code=400)
    take_message(message)
    return Response(status_code=204)
