/** `cupel policy show`: the policy in force, or an earlier one, and every activation. */
import type { PolicyDocument } from '@cupel/domain'
import { listPolicies, type ActivePolicy } from '../read-model/index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections } from '@cupel/command-line/installation'

interface ShowOptions extends JsonOption {
  readonly document?: boolean
}

/** Limit of the listed activations. */
const MAX_ACTIVATIONS = 1_000

export function registerShow(policy: Command, context: CliContext): void {
  policy
    .command('show [version]')
    .summary('show the policy in force')
    .description(
      'Show the policy in force, or an earlier version: when, by whom and why it was activated, and all activations.',
    )
    .option('--document', 'print only the JSON document, for a new file')
    .option('--json', 'answer in JSON')
    .action(async (number: string | undefined, options: ShowOptions) => {
      const version = number === undefined ? undefined : wholeNumber(number)
      const activations = await withConnections(context, ({ database }) =>
        listPolicies(database, { limit: MAX_ACTIVATIONS }),
      )
      const shown = chosen(activations, version)
      const document = JSON.parse(shown.document) as PolicyDocument
      if (options.document === true) return context.print(JSON.stringify(document, null, 2))
      const json = {
        ...snakeCase({ ...shown, document }),
        in_force: shown === activations[0],
        activations: activations.map(activationJson),
      }
      answer(context, options, json, () => textOf(shown, document, activations))
    })
}

/** Without the document: show an earlier one by its version. */
function activationJson({
  policyId,
  version,
  sha256,
  activatedBy,
  reason,
  activatedAt,
}: ActivePolicy): unknown {
  return snakeCase({ policyId, version, sha256, activatedBy, reason, activatedAt })
}

function chosen(activations: readonly ActivePolicy[], version: number | undefined): ActivePolicy {
  const found =
    version === undefined ? activations[0] : activations.find((policy) => policy.version === version)
  if (found !== undefined) return found
  throw new CommandError(
    version === undefined
      ? 'No policy was activated yet: the first start activates the default one.'
      : `No policy of version ${version} was activated.`,
    EXIT_NOT_FOUND,
  )
}

function textOf(shown: ActivePolicy, document: PolicyDocument, activations: readonly ActivePolicy[]): string {
  const state = shown === activations[0] ? 'in force' : 'no longer in force'
  return [
    `${shown.policyId} ${shown.version}, ${state} (sha256 ${shown.sha256})`,
    '',
    JSON.stringify(document, null, 2),
    '',
    table([
      ['ACTIVATED', 'POLICY', 'BY', 'WHY'],
      ...activations.map(({ activatedAt, policyId, version, activatedBy, reason }) => [
        activatedAt,
        `${policyId} ${version}`,
        activatedBy,
        reason,
      ]),
    ]),
  ].join('\n')
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new CommandError(`A version is a whole number from 1, not ${text}.`, EXIT_USAGE)
  return Number(text)
}
