/** `cupel policy activate`: puts another policy in force for later decisions. */
import { topicOf } from '@cupel/contracts'
import { readModelGroup, waitUntilProjected } from '@cupel/projections'
import { activatePolicy, type PolicyActivation } from '../index.js'
import { policyView } from '../read-model/index.js'
import type { CompiledPolicy, PolicyFinding } from '@cupel/domain'
import type { Command } from 'commander'
import { answer, type JsonOption, type CliContext, CommandError, EXIT_FAILED } from '@cupel/command-line'
import { requiredReason, withConnections, type Connections, operator } from '@cupel/command-line/installation'
import { findingsHere } from './check.js'
import { checkFile, findingsText, usableFile } from './policy-file.js'

interface ActivateOptions extends JsonOption {
  readonly reason: string
}

/** How long the command waits until the projector shows the activation to the scorers. */
const VISIBLE_TIMEOUT_MS = 30_000

export function registerActivate(policy: Command, context: CliContext): void {
  policy
    .command('activate <file>')
    .summary('put a policy in force')
    .description(
      `Put a policy in force, after the checks of \`cupel policy check --here\`. Screenings decided from then on carry its
version; reports that exist stay as they are. One policy is in force at a time; the versions of a policy id only rise, and
a version never names two texts. Who did it and why is recorded (cupel audit export).`,
    )
    .requiredOption('--reason <text>', 'why, for the audit log')
    .option('--json', 'answer in JSON')
    .action(async (file: string, options: ActivateOptions) => {
      const reason = requiredReason(options.reason)
      const usable = usableFile(context, file)
      const warnings = checkFile(context, file).findings
      const done = await withConnections(context, (connections) => activate(usable, reason, connections), {
        creates: true,
      })
      const findings = [...warnings, ...done.findings]
      const { document, sha256 } = usable
      const json = { policy: { id: document.id, version: document.version, sha256 }, ...done, findings }
      answer(context, options, json, () => textOf(usable, done, findings))
    })
}

interface Activated {
  readonly outcome: 'activated' | 'in-force'
  readonly previous: { readonly id: string; readonly version: number } | null
  /** Whether the policy view shows it, so that scorers use it. */
  readonly visible: boolean
  readonly findings: readonly PolicyFinding[]
}

async function activate(
  policy: CompiledPolicy,
  reason: string,
  connections: Connections,
): Promise<Activated> {
  const findings = await findingsHere(policy, connections)
  const wrong = findings.filter(({ severity }) => severity === 'error')
  if (wrong.length > 0) throw new CommandError(`Nothing was activated.\n${findingsText(wrong)}`, EXIT_FAILED)
  const { document, canonical, sha256 } = policy
  const activation = await activatePolicy({
    ...connections,
    policy: { policyId: document.id, version: document.version, document: canonical, sha256 },
    activatedBy: operator(),
    reason,
    activatedAt: new Date().toISOString(),
  })
  if (activation.outcome === 'refused')
    throw new CommandError(`Nothing was activated. ${activation.message}`, EXIT_FAILED)
  if (activation.outcome === 'in-force')
    return { outcome: 'in-force', previous: null, visible: true, findings }
  const { previous } = activation
  return {
    outcome: 'activated',
    previous: previous === null ? null : { id: previous.policyId, version: previous.version },
    visible: await becameVisible(activation, connections),
    findings,
  }
}

/** Without a running projector the policy takes effect at the next start. */
async function becameVisible(
  { position }: Extract<PolicyActivation, { outcome: 'activated' }>,
  { database, projectorRuns }: Connections,
): Promise<boolean> {
  if (!projectorRuns) return false
  return await waitUntilProjected({
    database,
    group: readModelGroup(policyView),
    topic: topicOf('PolicyActivated'),
    partition: position.partition,
    offset: position.offset + 1,
    timeoutMs: VISIBLE_TIMEOUT_MS,
  })
}

function textOf(
  { document: { id, version } }: CompiledPolicy,
  { outcome, previous, visible }: Activated,
  findings: readonly PolicyFinding[],
): string {
  const before = previous === null ? '' : ` instead of ${previous.id} ${previous.version}`
  const lines = [
    outcome === 'in-force'
      ? `${id} ${version} is in force already; nothing was changed.`
      : `${id} ${version} is in force${before}.`,
  ]
  if (!visible) lines.push('No projector is running: scorers use the policy after the next start.')
  if (findings.length > 0) lines.push('', findingsText(findings))
  return lines.join('\n')
}
