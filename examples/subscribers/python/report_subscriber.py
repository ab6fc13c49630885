"""
Prints the outcome of each screening once, as a line of JSON.

    python report_subscriber.py                  follow the topic; settings are environment variables, see README.md
    python report_subscriber.py golden FOLDER    decode the samples of each event in FOLDER (schemas/golden of the product)
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from confluent_kafka import Consumer, KafkaError, KafkaException
from cupel.records import RecordVerifier
from fastavro import parse_schema, schemaless_reader

SCHEMAS = Path(__file__).parent.parent / "reader-schemas"
READERS = {
    event: parse_schema(json.loads((SCHEMAS / f"{event}.avsc").read_text()))
    for event in ("ReportGenerated", "ScreeningFailed")
}
POLL_SECONDS = 1.0


class FirstOutcomes:
    """
    The first outcome with a report id is the outcome of the screening, whatever comes later. A subscriber with a database keeps the
    ids there, as a unique key, in one transaction with the offset.
    """

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def take(self, report_id: str) -> bool:
        is_first = report_id not in self._seen
        self._seen.add(report_id)
        return is_first


class WireDecoder:
    """A zero byte, the id of the writer's schema in four bytes, Avro."""

    def __init__(self, registry: str) -> None:
        self._registry = registry
        self._writers: dict[int, Any] = {}

    def decode(self, event: str, value: bytes) -> dict[str, Any]:
        if value[0] != 0:
            raise ValueError("the record does not have the wire format of a schema registry")
        schema_id = int.from_bytes(value[1:5], "big")
        if schema_id not in self._writers:
            with urlopen(f"{self._registry}/schemas/ids/{schema_id}") as response:
                self._writers[schema_id] = parse_schema(json.loads(json.load(response)["schema"]))
        return decode(event, self._writers[schema_id], value[5:])


def decode(event: str, writer: Any, payload: bytes) -> dict[str, Any]:
    """Bytes that one schema wrote, as another one reads them: new fields of the writer are skipped."""
    return schemaless_reader(io.BytesIO(payload), writer, READERS[event])  # type: ignore[return-value]


def line_of(event: str, data: dict[str, Any]) -> str:
    line = {
        "type": event,
        "report_id": data["reportId"],
        "account_id": data["accountId"],
        "livemode": data["livemode"],
    }
    names = ("code",) if event == "ScreeningFailed" else ("address", "chain", "level", "score")
    return json.dumps(line | {name: data[name] for name in names})


def decode_golden(folder: Path) -> None:
    for event in READERS:
        for sample in sorted((folder / event).glob("*.bin")):
            writer = parse_schema(json.loads(sample.with_suffix(".avsc").read_text()))
            print(line_of(event, decode(event, writer, sample.read_bytes())))


def record_verifier() -> RecordVerifier | None:
    """None where the operator of this subscriber accepts records of any producer."""
    if os.environ.get("CHECK_SIGNATURES", "true") != "true":
        return None
    return RecordVerifier(
        public_keys=Path(os.environ["PUBLIC_KEYS"]).read_text(),
        logs=os.environ["LOG_ID"].split(","),
        topic_prefix=os.environ.get("TOPIC_PREFIX", ""),
    )


def follow() -> None:
    settings = {
        "bootstrap.servers": os.environ["KAFKA_BROKERS"],
        "group.id": os.environ.get("GROUP_ID", "report-subscriber"),
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.partition.eof": True,
    }
    tls = os.environ.get("KAFKA_TLS") == "true"
    if "KAFKA_USERNAME" in os.environ:
        settings |= {
            "security.protocol": "SASL_SSL" if tls else "SASL_PLAINTEXT",
            "sasl.mechanism": "PLAIN",
            "sasl.username": os.environ["KAFKA_USERNAME"],
            "sasl.password": os.environ["KAFKA_PASSWORD"],
        }
    elif tls:
        settings["security.protocol"] = "SSL"
    topic = os.environ.get("TOPIC", "screening.report.events.v1")
    stops_at_end = os.environ.get("STOP_AT_END") == "true"
    verifier = record_verifier()
    wire = WireDecoder(os.environ["SCHEMA_REGISTRY_URL"])
    outcomes = FirstOutcomes()
    consumer = Consumer(settings)
    consumer.subscribe([topic])
    ended: set[int] = set()
    while not stops_at_end or not ended or len(ended) < len(consumer.assignment()):
        message = consumer.poll(POLL_SECONDS)
        if message is None:
            continue
        if message.error() is not None:
            if message.error().code() != KafkaError._PARTITION_EOF:
                raise KafkaException(message.error())
            ended.add(message.partition())
            continue
        # A record that the installation did not write ends the subscriber, before anything of it is believed.
        if verifier is not None:
            verifier.verify(topic=message.topic(), key=message.key(), value=message.value(), headers=message.headers())
        event = dict(message.headers())["ce_type"].decode()
        # An event that a later version adds to the topic is none of this subscriber's.
        if event in READERS:
            data = wire.decode(event, message.value())
            if outcomes.take(data["reportId"]):
                print(line_of(event, data), flush=True)
        consumer.commit(message)
    consumer.close()


if __name__ == "__main__":
    if sys.argv[1:2] == ["golden"]:
        decode_golden(Path(sys.argv[2]))
    else:
        follow()
