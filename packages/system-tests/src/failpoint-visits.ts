/** The failpoints and the tests in which a process dies at them. */
import type { FailpointName } from '@cupel/kit/failpoints'

/**
 * Points that the services visit while they answer screens, with the number of the visit at which a process dies. The numbers
 * differ so that services die one after another, and are lower where visits are rare. A restarted service counts from zero.
 */
export const underLoad = {
  'access.admit': 50,
  'api.screen-requested': 90,
  'scorer.report-generated': 100,
  'scorer.checkpoint': 15,
  'projector.batch': 100,
} as const satisfies Partial<Record<FailpointName, number>>

/** Points that a command visits, with the arguments of that command. */
export const byCommand: Partial<Record<FailpointName, readonly string[]>> = {
  'labels.append': ['labels', 'import', 'LABELS', '--format', 'csv', '--set', 'SET'],
  'labels.publish': ['labels', 'import', 'LABELS', '--format', 'csv', '--set', 'SET'],
  'access.change': ['accounts', 'create', 'Failpoint Ltd'],
  'projector.rebuild-batch': ['audit', 'replay', '--target', 'report-view'],
  'projector.rebuild-compare': ['audit', 'replay', '--target', 'report-view'],
  'projector.rebuild-switch': ['audit', 'replay', '--target', 'report-view'],
  'projector.rebuild-drop': ['audit', 'replay', '--target', 'report-view'],
}

/** Points that the first start of an installation and its first screens visit. */
export const atFirstStart = [
  'log.migrate',
  'log.genesis',
  'log.register-keys',
  'schemas.register',
  'policy.activate',
  'api.report-epoch-claimed',
  'projector.install-tables',
  'outbox.relay',
  'outbox.mark-relayed',
  'scorer.label-state-recorded',
] as const satisfies readonly FailpointName[]

/** Points that the API visits when a screen misses its deadline. */
export const whenLate = [
  'api.pending-noted',
  'api.request-audited',
] as const satisfies readonly FailpointName[]

/** Points that tests beside the guarded code visit. */
export const elsewhere: readonly FailpointName[] = [
  // services/api/test/changes-deaths.int.test.ts lets a process die at it.
  'access.propose',
  // packages/chain-data/test/follow/restarts.int.test.ts ends a follower at each of these.
  'follow.file',
  'follow.import',
  // services/cli/test/retention/retention.int.test.ts lets the command die at each of these.
  'retention.begin',
  'retention.documents',
  'retention.cut',
  // services/scorer/test/history-deaths.full.int.test.ts ends a scorer at each of these.
  'histories.page',
  'histories.file',
  'histories.import',
  // packages/personal-data/test/keys.int.test.ts kills a process at each of these.
  'personal-data.key',
  'personal-data.erase',
  'personal-data.retention',
  'personal-data.rotate',
  // services/projector/test/keep-latest-reports.int.test.ts kills a process at each of these.
  'latest-reports.append',
  'latest-reports.commit',
  'latest-reports.checked',
  'latest-reports.erased',
  // packages/evidence/test/transparency/transparency.int.test.ts kills a process at each of these.
  'transparency.sign',
  'transparency.publish',
  'transparency.cosign',
  'transparency.publish-key',
  // packages/evidence/test/transparency/shorter-log.int.test.ts kills the command at this one.
  'transparency.accept',
  // services/cli/test/log/adopt.int.test.ts and services/cli/test/restore/restore.full.int.test.ts kill the command at these.
  'transparency.adopt',
  'restore.restored',
  // services/api/test/sessions.int.test.ts kills the API at these.
  'access.session',
  // services/cli/test/install/install.full.e2e.test.ts kills an installation at this one.
  'access.report-partitions',
  // services/api/test/shares.int.test.ts and cases.int.test.ts kill the API at these.
  'sharing.change',
  'sharing.opened',
  'cases.change',
  // services/api/test/own-labels.int.test.ts kills the API at this one.
  'labels.own',
  // services/api/test/watches.int.test.ts kills the API at this one.
  'watches.change',
  // services/bulk-coordinator/test/watches.int.test.ts kills a coordinator at each of these.
  'watches.touched',
  'watches.begun',
  'watches.settled',
  // services/bulk-coordinator/test/touched-watches.full.int.test.ts kills a coordinator at this one.
  'watches.passed',
  // services/bulk-coordinator/test/digests.int.test.ts kills a coordinator at this one.
  'watches.digested',
  // packages/archive/test/archive.int.test.ts kills a process at each of these.
  'archive.segment',
  'archive.manifest',
  // packages/archive/test/restore.int.test.ts kills a process at each of these.
  'archive.restore',
  // services/cli/test/archive/restore.int.test.ts kills a process at it.
  'archive.restoration',
  // packages/ledger/test/interrupted-import.int.test.ts kills an import at each of these.
  'ledger.segment',
  'ledger.batch',
  'ledger.publish',
  'ledger.prices',
  // services/bulk-coordinator/test/kills.int.test.ts kills a process at each of these while a job runs.
  'bulk.lease-taken',
  'bulk.facts',
  'bulk.items-released',
  'bulk.release',
  'bulk.job-ended',
  'bulk.announced',
  'bulk.dead-letter',
  // services/api/test/bulk-kills.full.int.test.ts kills the API at these.
  'api.bulk-submitted',
  'api.bulk-cancel-requested',
  // packages/labels/test/orders/list-orders.int.test.ts ends a process at this one.
  'labels.order',
  // services/cli/test/dead-letters/dead-letters.int.test.ts kills a redrive at this one.
  'dead-letters.redrive',
  // services/webhook-dispatcher/test/kills.int.test.ts kills a process at each of these while webhooks are sent.
  'webhooks.change',
  'webhooks.redeliver',
  'webhooks.deliveries',
  'webhooks.dead-letter',
  'webhooks.body',
  'webhooks.attempted',
  // For tests of the mechanism itself.
  'test',
]
