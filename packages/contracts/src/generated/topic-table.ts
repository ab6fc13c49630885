// Generated from schemas/ and deploy/topics.json by `npm run generate`. Do not edit.

export const topicDefaults = {
  "cleanup.policy": "delete",
  "retention.ms": "-1",
  "max.message.bytes": "2097152"
} as const

export const topicTable = [
  {
    "name": "screening.screen.events.v1",
    "partitions": 4,
    "key": "report_id",
    "producer": "fast",
    "sandbox": true,
    "mayGrow": true
  },
  {
    "name": "screening.bulk-screen.events.v1",
    "partitions": 4,
    "key": "report_id",
    "producer": "fast",
    "sandbox": true,
    "mayGrow": true
  },
  {
    "name": "screening.report.events.v1",
    "partitions": 16,
    "key": "report_id; partition named by the id",
    "producer": "fast",
    "sandbox": true
  },
  {
    "name": "screening.label-state.events.v1",
    "partitions": 1,
    "key": "sha256 of the state",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "screening.bulk.events.v1",
    "partitions": 4,
    "key": "job_id",
    "producer": "ordered",
    "sandbox": true
  },
  {
    "name": "screening.watch.events.v1",
    "partitions": 4,
    "key": "account_id",
    "producer": "ordered",
    "sandbox": true
  },
  {
    "name": "screening.case.events.v1",
    "partitions": 4,
    "key": "report_id",
    "producer": "ordered",
    "sandbox": true
  },
  {
    "name": "screening.own-label.events.v1",
    "partitions": 4,
    "key": "account_id",
    "producer": "ordered",
    "sandbox": true
  },
  {
    "name": "screening.label.events.v1",
    "partitions": 1,
    "key": "source/dataset",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "screening.ledger.events.v1",
    "partitions": 1,
    "key": "chain",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "screening.policy.events.v1",
    "partitions": 1,
    "key": "policy_id",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "access.account.events.v1",
    "partitions": 1,
    "key": "account_id",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "access.key.events.v1",
    "partitions": 1,
    "key": "account_id",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "access.request.events.v1",
    "partitions": 4,
    "key": "account_id, or the client network's hash",
    "producer": "fast",
    "sandbox": true
  },
  {
    "name": "webhooks.endpoint.events.v1",
    "partitions": 1,
    "key": "endpoint_id",
    "producer": "ordered",
    "sandbox": true
  },
  {
    "name": "webhooks.delivery.events.v1",
    "partitions": 4,
    "key": "endpoint_id",
    "producer": "ordered",
    "sandbox": true
  },
  {
    "name": "log.signing-key.events.v1",
    "partitions": 1,
    "key": "key_id",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "log.report-epoch.events.v1",
    "partitions": 1,
    "key": "epoch",
    "producer": "ordered",
    "sandbox": false
  },
  {
    "name": "screening.latest-report.events.v1",
    "partitions": 4,
    "key": "account_id/chain/address",
    "producer": "ordered",
    "sandbox": true,
    "derived": true,
    "config": {
      "cleanup.policy": "compact",
      "retention.ms": "-1",
      "max.message.bytes": "2097152",
      "delete.retention.ms": "604800000",
      "max.compaction.lag.ms": "604800000"
    }
  }
] as const
