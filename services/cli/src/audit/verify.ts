/** `cupel audit verify`: whether everything in the log is well-formed. */
import { verifyLog, type VerifyResult } from '@cupel/proofs'
import { topicSpecs } from '@cupel/contracts'
import { deadLetterTopic } from '@cupel/event-log'
import type { Command } from 'commander'
import { answer, snakeCase, table } from '../answer.js'
import type { CliContext } from '../context.js'
import { EXIT_FAILED, EXIT_NOTHING_TO_PROVE } from '../explain.js'
import { withConnections } from '../connections.js'
import { deadLetterGroups } from '../stack/foundation.js'
import {
  addExpectations,
  NOTHING,
  proving,
  requireLog,
  tooFew,
  type ExpectationOptions,
} from './expected-log.js'
import { readingNotes } from './reading-notes.js'

/** Problems told; all are counted. */
const MAX_PROBLEMS = 200

export function registerVerify(audit: Command, context: CliContext): void {
  addExpectations(audit.command('verify'))
    .summary('check that the log is whole and well-formed')
    .description(
      `Reads every record of the log and changes nothing: each is an event of its schema, each report has the hash its
record says, ids stand where their names put them and never say two things, no record is missing, and the read model
answers with the first record of each report. Ends with ${EXIT_FAILED} where a problem was found or less is there than expected,
and with ${EXIT_NOTHING_TO_PROVE} where the log is empty.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: ExpectationOptions) => {
      const result = await proving(context, options, () => verify(context, options))
      const shortfall = tooFew(result.reports, options)
      const isProven = result.problemCount === 0 && result.records > 0 && shortfall === null
      answer(context, options, jsonOf(result, isProven), () =>
        [textOf(result), ...(shortfall === null ? [] : [shortfall])].join('\n'),
      )
      if (isProven) return
      process.exitCode = result.problemCount === 0 && shortfall === null ? EXIT_NOTHING_TO_PROVE : EXIT_FAILED
    })
}

async function verify(context: CliContext, options: ExpectationOptions): Promise<VerifyResult> {
  const deadLetters = deadLetterGroups.map(deadLetterTopic)
  const notes = readingNotes(context.note, () => performance.now())
  return await withConnections(context, async ({ log, codec, database }) => {
    await requireLog(log, options)
    return await verifyLog({
      log,
      codec,
      database,
      topics: [...topicSpecs, ...deadLetters],
      rawTopics: new Set(deadLetters.map(({ name }) => name)),
      maxProblems: MAX_PROBLEMS,
      ...(options.json === true ? {} : { onProgress: notes }),
    })
  })
}

function jsonOf({ topics, problems, ...rest }: VerifyResult, isProven: boolean): unknown {
  return {
    ...snakeCase(rest),
    is_proven: isProven,
    topics: topics.map((topic) => snakeCase(topic)),
    problems: problems.map((problem) => snakeCase(problem)),
  }
}

function textOf(result: VerifyResult): string {
  const { topics, reports, failures, repeatedReports, records, problems, problemCount } = result
  const rows = topics
    .filter((topic) => topic.records > 0)
    .flatMap(({ topic, byType, repeats }) =>
      Object.entries(byType).map(([type, count], index) => [
        index === 0 ? topic : '',
        type,
        number(count),
        index === 0 ? number(repeats) : '',
      ]),
    )
  const lines = [
    `Log ${result.log}: ${number(records)} records.`,
    '',
    table([['TOPIC', 'EVENT', 'RECORDS', 'REPEATS'], ...rows]),
    '',
    `${number(reports)} reports, ${number(failures)} failed screenings, ${number(repeatedReports)} decided again and left out.`,
  ]
  for (const { kind, topic, partition, offset, detail } of problems)
    lines.push(`  ${kind}: ${topic}/${partition} at ${offset}: ${detail}`)
  if (problemCount > problems.length) lines.push(`  … and ${number(problemCount - problems.length)} more`)
  if (problemCount > 0) lines.push(`${number(problemCount)} PROBLEMS were found.`)
  else lines.push(records > 0 ? 'No problem was found.' : `The log is empty. ${NOTHING}`)
  return lines.join('\n')
}

const number = (value: number): string => value.toLocaleString('en-US')
