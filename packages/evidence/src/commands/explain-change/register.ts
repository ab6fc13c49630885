/** `cupel explain`: explains why two reports of one address differ. */
import {
  ChangeRefusedError,
  explainChange,
  type ChangeExplanation,
  type DecidedLevel,
  type RecordedDecision,
} from '@cupel/domain'
import type { AuthenticLog, EventCodec } from '@cupel/event-log'
import { openSharedInputs, readStoredReports } from '../../proofs/index.js'
import { en, nameOf, reasonText, scoreText } from '@cupel/reports/document'
import type { Command } from 'commander'
import {
  answer,
  snakeCase,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  reportIdValue,
} from '@cupel/command-line'
import { openArchive, archivePlace, readPublicKeys, withConnections } from '@cupel/command-line/installation'
import { changedFacts, type ChangedFacts } from './changed-facts.js'

interface ExplainOptions extends JsonOption {
  readonly archive?: string
  readonly publicKeys?: string
}

export function registerExplain(program: Command, context: CliContext): void {
  program
    .command('explain')
    .summary('say why two reports of one address differ')
    .description(
      `Decides the first report again with parts of the second one, exchanged one at a time in this order:
  labels  the labels of the address and the state of the lists
  funds   the ledger, the cluster, and what providers of chain data said
  policy  the numbers of the judgement
  scorer  the code and its tables
  time    when it was decided; lists and labels age
  not_examined  a stage that only one report has, because it was late or failed for the other
The points of the steps add up to the difference of the scores. ALONE is what the part would have done by itself.
Both reports are read from the log, or from an archive, and decided again first: a record that was changed is not explained.`,
    )
    .argument('<from>', 'id of the first report', reportIdValue)
    .argument('<to>', 'id of the second report', reportIdValue)
    .option(
      '--archive <place>',
      'read an archive (a folder, or s3://bucket/prefix) in place of the log, without database and broker',
    )
    .option('--public-keys <file>', 'with --archive: count manifests that these keys signed')
    .option('--json', 'answer in JSON')
    .action(async (from: string, to: string, options: ExplainOptions) => {
      const decisions = await reading(context, options, async (source) => {
        const shared = openSharedInputs(source)
        const read = async (reportId: string): Promise<RecordedDecision> => {
          const recorded = await readReport(source, reportId)
          return { recorded, shared: await shared.of(recorded) }
        }
        return [await read(from), await read(to)] as const
      })
      const explained = explain(...decisions)
      const facts = changedFacts(...decisions)
      const { canonicalAddress, chain } = decisions[0].recorded
      answer(
        context,
        options,
        { from, to, address: canonicalAddress, chain, ...jsonOf(explained), changed: snakeCase(facts) },
        () =>
          [`${canonicalAddress} on ${chain}: ${headline(explained)}`, '', textOf(explained, facts)].join(
            '\n',
          ),
      )
    })
}

interface Source {
  readonly log: AuthenticLog
  readonly codec: EventCodec
}

async function reading<Result>(
  context: CliContext,
  { archive, publicKeys }: ExplainOptions,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  if (archive === undefined) return await withConnections(context, work)
  const keys = publicKeys === undefined ? null : readPublicKeys(context.path(publicKeys))
  return await work(
    await openArchive(context, archivePlace(context, archive), { publicKeys: keys, gathersFaults: false }),
  )
}

/** The first record of the id: callers got this one. */
async function readReport(source: Source, reportId: string) {
  for await (const [stored] of readStoredReports({ ...source, reportId }))
    if (stored !== undefined) return stored.report.data
  throw new CommandError(`The log has no report ${reportId}.`)
}

function explain(from: RecordedDecision, to: RecordedDecision): ChangeExplanation {
  try {
    return explainChange(from, to)
  } catch (cause) {
    if (cause instanceof ChangeRefusedError) throw new CommandError(cause.message, undefined, { cause })
    throw cause
  }
}

const points = (hundredths: number): number => hundredths / 100

function jsonOf({ from, to, parts, fundsIncludeLabels }: ChangeExplanation): object {
  const level = ({ level: name, scoreHundredths, levelReasons }: DecidedLevel): object => ({
    ...{ level: name, score: points(scoreHundredths), level_reasons: levelReasons },
  })
  return {
    ...{ before: level(from), after: level(to) },
    added: points(to.scoreHundredths - from.scoreHundredths),
    parts: parts.map(({ part, differs, addedHundredths, after, alone }) => ({
      ...{ part, differs, added: points(addedHundredths), after: level(after), alone: level(alone) },
    })),
    funds_include_labels: fundsIncludeLabels,
  }
}

/** No points are shown that are 0: beside “Not cleared” they would look like good news. */
function shown({ level, scoreHundredths }: DecidedLevel): string {
  const word = nameOf(en.levels, level)
  const score = points(scoreHundredths)
  return scoreText({ level, score }) === '' ? word : `${word} ${score.toFixed(2)}`
}
const signed = (hundredths: number): string => `${hundredths > 0 ? '+' : ''}${points(hundredths).toFixed(2)}`

function headline({ from, to }: ChangeExplanation): string {
  return `${shown(from)} became ${shown(to)}, ${signed(to.scoreHundredths - from.scoreHundredths)}`
}

function textOf({ parts, fundsIncludeLabels }: ChangeExplanation, facts: ChangedFacts): string {
  const rows = parts.map(({ part, differs, addedHundredths, after, alone }) =>
    differs ? [part, signed(addedHundredths), shown(after), shown(alone)] : [part, 'unchanged', '', ''],
  )
  const lines = [table([['PART', 'POINTS', 'THEN', 'ALONE'], ...rows])]
  const reasons = parts.at(-1)!.after.levelReasons
  if (reasons.length > 0) lines.push('', ...reasons.map((code) => `${code}: ${reasonText(code)}`))
  if (fundsIncludeLabels)
    lines.push('', 'Labels and ledger both changed: exposure, which was measured with both, counts as funds.')
  if (facts.lines.length > 0) lines.push('', ...facts.lines)
  return lines.join('\n')
}
