/**
 * Named points at which a test kills the process, as a power cut would.
 *
 * `CUPEL_FAILPOINT=before:name:n,after:name:m` ends the process by SIGKILL at the n-th visit (n from 1). If `CUPEL_FAILPOINT_FIRED` is set,
 * a point that fires is first noted in that file and is ignored in every later process: one run under a supervisor dies at each armed point
 * once. Unset, a visit costs two comparisons.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

interface Armed {
  readonly point: string
  readonly visit: number
  visits: number
}

const firedFile = process.env['CUPEL_FAILPOINT_FIRED'] ?? ''
const armed = parse(process.env['CUPEL_FAILPOINT'])

/** Every point that exists. An append or a transaction cannot be written without naming one, so the list is complete. */
export const failpointNames = [
  'api.screen-requested',
  'api.pending-noted',
  'api.request-audited',
  'api.audit-outbox',
  'api.report-epoch-claimed',
  'scorer.label-state-recorded',
  'scorer.report-generated',
  'scorer.request-deferred',
  'scorer.screening-failed',
  'scorer.dead-letter',
  'scorer.checkpoint',
  'projector.batch',
  'projector.install-tables',
  'projector.rebuild-batch',
  'projector.rebuild-compare',
  'projector.rebuild-switch',
  'projector.rebuild-drop',
  'latest-reports.append',
  'latest-reports.commit',
  'latest-reports.checked',
  'latest-reports.erased',
  'outbox.relay',
  'outbox.mark-relayed',
  'labels.append',
  'labels.publish',
  'ledger.segment',
  'ledger.batch',
  'ledger.publish',
  'ledger.prices',
  'follow.file',
  'follow.import',
  'histories.page',
  'histories.file',
  'histories.import',
  'api.bulk-submitted',
  'api.bulk-cancel-requested',
  'bulk.lease-taken',
  'bulk.facts',
  'bulk.items-released',
  'bulk.release',
  'bulk.job-ended',
  'bulk.announced',
  'bulk.dead-letter',
  'dead-letters.redrive',
  'webhooks.change',
  'webhooks.redeliver',
  'webhooks.deliveries',
  'webhooks.dead-letter',
  'webhooks.body',
  'webhooks.attempted',
  'sharing.change',
  'sharing.opened',
  'cases.change',
  'personal-data.key',
  'personal-data.erase',
  'personal-data.retention',
  'personal-data.rotate',
  'watches.change',
  'watches.touched',
  'watches.begun',
  'watches.settled',
  'watches.digested',
  'watches.passed',
  'labels.order',
  'labels.own',
  'policy.activate',
  'transparency.sign',
  'transparency.publish',
  'transparency.cosign',
  'transparency.publish-key',
  'transparency.accept',
  'transparency.adopt',
  'restore.restored',
  'retention.begin',
  'retention.documents',
  'retention.cut',
  'archive.segment',
  'archive.manifest',
  'archive.restore',
  'archive.restoration',
  'access.admit',
  'access.auth-failures',
  'access.change',
  'access.propose',
  'access.session',
  'access.reservation',
  'access.report-partitions',
  'schemas.register',
  'log.genesis',
  'log.migrate',
  'log.register-keys',
  'test',
] as const

/** Two points surround an append or commit: `before:<name>` and `after:<name>`. */
export type FailpointName = (typeof failpointNames)[number]

/** Set by tests that let a part of their process die (`crashAt` of the test kit). */
let visited: ((point: string) => void) | null = null

export function onVisit(listener: (point: string) => void): void {
  visited = listener
}

export function failpoint(side: 'before' | 'after', name: FailpointName): void {
  visited?.(`${side}:${name}`)
  if (armed === null) return
  const point = armed.get(`${side}:${name}`)
  if (point === undefined) return
  point.visits += 1
  if (point.visits !== point.visit) return
  if (firedFile !== '') appendFileSync(firedFile, `${point.point}\n`)
  process.kill(process.pid, 'SIGKILL')
}

function parse(text: string | undefined): Map<string, Armed> | null {
  if (text === undefined || text === '') return null
  const fired = new Set(
    firedFile !== '' && existsSync(firedFile) ? readFileSync(firedFile, 'utf8').split('\n') : [],
  )
  const points = new Map<string, Armed>()
  for (const part of text.split(',')) {
    const match = /^((?:before|after):[a-z.-]+):([1-9][0-9]*)$/.exec(part)
    if (match === null)
      throw new Error(`CUPEL_FAILPOINT must look like before:scorer.checkpoint:1, not ${part}`)
    const point = match[1]!
    if (!fired.has(point)) points.set(point, { point, visit: Number(match[2]), visits: 0 })
  }
  return points.size === 0 ? null : points
}
