/** `cupel policy diff`: shows which stored reports another policy would have changed. */
import { compilePolicyText, type CompiledPolicy } from '@cupel/domain'
import { diffPolicies, readActivations, type PolicyDiff } from '../index.js'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  momentOf,
  readingNotes,
  type CliContext,
  CommandError,
  EXIT_NOT_FOUND,
  wholeNumber,
} from '@cupel/command-line'
import { withConnections, type Connections } from '@cupel/command-line/installation'
import { usableFile } from './policy-file.js'

interface DiffOptions extends JsonOption {
  readonly since?: string
  readonly limit: number
}

const DEFAULT_FLIPS = 50

export function registerDiff(policy: Command, context: CliContext): void {
  policy
    .command('diff <a> <b>')
    .summary('show what another policy would change')
    .description(
      `Decide every stored live report again under both policies, from its recorded inputs, and report how many levels flip,
which, and because of which setting. Each policy is a file, "active", or the version of a policy that was in force. Nothing is
changed. The inputs stay as recorded: the labels, and the exposure found under the limits of that time.`,
    )
    .option('--since <date>', 'only reports recorded at or after this time')
    .option('--limit <count>', 'flips to list; all are counted', wholeNumber, DEFAULT_FLIPS)
    .option('--json', 'answer in JSON')
    .action(async (first: string, second: string, options: DiffOptions) => {
      const since = momentOf('--since', options.since)
      const diff = await withConnections(context, async (connections) =>
        diffPolicies({
          ...connections,
          a: await policyNamed(first, connections, context),
          b: await policyNamed(second, connections, context),
          since,
          maxFlips: options.limit,
          onProgress: readingNotes(options.json === true ? () => undefined : context.note, () =>
            performance.now(),
          ),
        }),
      )
      answer(context, options, jsonOf(diff), () => textOf(diff))
    })
}

/** Versions and `active` are read from the log. */
async function policyNamed(
  name: string,
  { log, codec }: Connections,
  context: CliContext,
): Promise<CompiledPolicy> {
  if (name !== 'active' && !/^[1-9]\d{0,8}$/.test(name)) return usableFile(context, name)
  const activations = await readActivations(log, codec)
  const found =
    name === 'active' ? activations.at(-1) : activations.findLast(({ version }) => version === Number(name))
  if (found !== undefined) return compilePolicyText(found.document)
  throw new CommandError(
    name === 'active' ? 'No policy was activated yet.' : `No policy of version ${name} was activated.`,
    EXIT_NOT_FOUND,
  )
}

function jsonOf({ flips, ...rest }: PolicyDiff): unknown {
  return {
    ...snakeCase(rest),
    flips: flips.map(({ from, to, ...flip }) => ({
      ...snakeCase(flip),
      from: snakeCase(from),
      to: snakeCase(to),
    })),
  }
}

function textOf(diff: PolicyDiff): string {
  const { a, b, settings, reports, undecidable, changedLevels, changedScores } = diff
  const lines = [
    `${a.id} ${a.version} against ${b.id} ${b.version}, over ${number(reports)} reports.`,
    '',
    settings.length === 0
      ? 'The policies have the same settings.'
      : table([
          ['SETTING', `${a.id} ${a.version}`, `${b.id} ${b.version}`],
          ...settings.map(({ path, from, to }) => [path, JSON.stringify(from), JSON.stringify(to)]),
        ]),
    '',
    `${number(changedLevels)} levels and ${number(changedScores)} scores would change.`,
  ]
  if (diff.changedRecommendations > 0)
    lines.push(`${number(diff.changedRecommendations)} recommendations for transfers would change.`)
  for (const { from, to, count } of diff.recommendations) lines.push(`  ${from} to ${to}: ${number(count)}`)
  if (undecidable > 0)
    lines.push(`${number(undecidable)} reports could not be decided again: see cupel audit recompute.`)
  for (const { from, to, count } of diff.transitions) lines.push(`  ${from} to ${to}: ${number(count)}`)
  if (diff.causes.length > 0) lines.push('', 'Through:')
  for (const { setting, count } of diff.causes) lines.push(`  ${setting}: ${number(count)}`)
  if (diff.flips.length > 0) lines.push('', flipTable(diff))
  if (diff.flipsOmitted > 0) lines.push(`… and ${number(diff.flipsOmitted)} more (--limit lists them)`)
  return lines.join('\n')
}

function flipTable({ flips }: PolicyDiff): string {
  return table([
    ['REPORT', 'CHAIN', 'ADDRESS', 'FROM', 'TO', 'DECIDED BY', 'THROUGH'],
    ...flips.map(({ reportId, chain, address, from, to, causes }) => [
      reportId,
      chain,
      address,
      `${from.level} ${from.score}`,
      `${to.level} ${to.score}`,
      to.decisive ?? from.decisive ?? '-',
      causes.join(', ') || 'several together',
    ]),
  ])
}

const number = (value: number): string => value.toLocaleString('en-US')
