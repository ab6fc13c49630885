/** `cupel audit verify`: whether everything in the log is well-formed. */
import { verifyLog, type VerifyResult } from '@cupel/proofs'
import { topicSpecs } from '@cupel/contracts'
import { deadLetterTopic } from '@cupel/event-log'
import type { Command } from 'commander'
import { answer, snakeCase, table, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { EXIT_FAILED } from '../explain.js'
import { withConnections } from '../connections.js'
import { deadLetterGroups } from '../stack/foundation.js'
import { readingNotes } from './reading-notes.js'

/** Problems told; all are counted. */
const MAX_PROBLEMS = 200

export function registerVerify(audit: Command, context: CliContext): void {
  audit
    .command('verify')
    .summary('check that the log is whole and well-formed')
    .description(
      `Reads every record of the log and changes nothing: each is an event of its schema, each report has the hash its
record says, ids stand where their names put them and never say two things, no record is missing, and the read model
answers with the first record of each report. Ends with ${EXIT_FAILED} where a problem was found.`,
    )
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption) => {
      const deadLetters = deadLetterGroups.map(deadLetterTopic)
      const notes = readingNotes(context.note, () => performance.now())
      const result = await withConnections(context, ({ log, codec, database }) =>
        verifyLog({
          log,
          codec,
          database,
          topics: [...topicSpecs, ...deadLetters],
          rawTopics: new Set(deadLetters.map(({ name }) => name)),
          maxProblems: MAX_PROBLEMS,
          ...(options.json === true ? {} : { onProgress: notes }),
        }),
      )
      answer(context, options, jsonOf(result), () => textOf(result))
      if (result.problemCount > 0) process.exitCode = EXIT_FAILED
    })
}

function jsonOf({ topics, problems, ...rest }: VerifyResult): unknown {
  return {
    ...snakeCase(rest),
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
  lines.push(problemCount === 0 ? 'No problem was found.' : `${number(problemCount)} PROBLEMS were found.`)
  return lines.join('\n')
}

const number = (value: number): string => value.toLocaleString('en-US')
