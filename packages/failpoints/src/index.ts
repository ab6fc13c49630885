/**
 * Named points at which a test kills the process, as a power cut would.
 * `CUPEL_FAILPOINT=name:n` ends the process by SIGKILL at the n-th visit (n from 1). Unset, a visit costs one comparison.
 */
const armed = parse(process.env['CUPEL_FAILPOINT'])
let visits = 0

/** Every point that exists. An append or a transaction cannot be written without naming one, so the list is complete. */
export const failpointNames = [
  'api.screen-requested',
  'api.pending-noted',
  'scorer.report-generated',
  'scorer.screening-failed',
  'scorer.dead-letter',
  'scorer.checkpoint',
  'projector.batch',
  'projector.rebuild-batch',
  'projector.rebuild-switch',
  'outbox.relay',
  'outbox.mark-relayed',
  'labels.append',
  'labels.publish',
  'policy.activate',
  'access.change',
  'schemas.register',
  'log.genesis',
  'log.migrate',
  'probe',
  'test',
] as const

/** An append or commit is bracketed by two points: `before:<name>` and `after:<name>`. */
export type FailpointName = (typeof failpointNames)[number]

export function failpoint(side: 'before' | 'after', name: FailpointName): void {
  if (armed === null || armed.point !== `${side}:${name}`) return
  visits += 1
  if (visits === armed.visit) process.kill(process.pid, 'SIGKILL')
}

function parse(text: string | undefined): { point: string; visit: number } | null {
  if (text === undefined || text === '') return null
  const match = /^((?:before|after):[a-z.-]+):([1-9][0-9]*)$/.exec(text)
  if (match === null) throw new Error(`CUPEL_FAILPOINT must look like before:scorer.checkpoint:1, not ${text}`)
  return { point: match[1]!, visit: Number(match[2]) }
}
