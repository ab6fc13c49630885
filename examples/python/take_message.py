"""
The steps of a receiver with a verified message, whatever framework brought it. A message comes at least once: keep the ids that you have
seen. Use your database here, and write the id in one transaction with what follows from it.
"""

from cupel import BulkCompletedMessage, WebhookMessage

_seen: set[str] = set()


def take_message(message: WebhookMessage) -> None:
    if message.webhook_id in _seen:
        return
    _seen.add(message.webhook_id)
    if isinstance(message, BulkCompletedMessage):
        print(f"{message.data.job_id} is {message.data.status}", flush=True)
