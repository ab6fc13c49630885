/** `cupel dead-letters`: what was laid aside, and how an operator deals with it. */
import { InvalidArgumentError, type Command } from 'commander'
import {
  listDeadLetters,
  resolutionsOf,
  restoreRecord,
  type DeadLetter,
  type EventLog,
} from '@cupel/event-log'
import { answer, table, type JsonOption } from '../answer.js'
import type { CliContext } from '../context.js'
import { CommandError, EXIT_USAGE } from '../explain.js'
import { withConnections } from '../connections.js'
import { operator } from '../operator.js'
import { deadLetterGroups } from '../stack/foundation.js'

interface ChoiceOptions extends JsonOption {
  readonly offset?: readonly number[]
  readonly all?: boolean
}

export function registerDeadLetters(program: Command, context: CliContext): void {
  const commands = program.command('dead-letters').summary('records that could not be handled')
  commands
    .command('list')
    .summary('what is laid aside, with causes')
    .description('Lists the records that were laid aside and that nobody has dealt with, oldest first.')
    .option('--group <group>', 'only those of this group')
    .option('--json', 'answer in JSON')
    .action(async (options: JsonOption & { group?: string }) => {
      const groups = options.group === undefined ? deadLetterGroups : [checkedGroup(options.group)]
      const letters = await withConnections(context, async ({ log }) =>
        (await Promise.all(groups.map((group) => listDeadLetters(log, group)))).flat(),
      )
      answer(context, options, { dead_letters: letters.map(shown) }, () => listText(letters))
    })
  choice(
    commands
      .command('redrive <group>')
      .summary('append laid-aside records again, where they lay')
      .description(
        `Appends laid-aside records of a group again to the topic they came from, after their cause was mended, and notes that
they were dealt with. A screening that has failed stays failed, because the first record of a report id counts: what is
redriven helps where nothing was recorded yet, as for a job that could not be read.`,
      ),
    context,
    redrive,
    'redriven',
  )
  choice(
    commands
      .command('dismiss <group>')
      .summary('note that laid-aside records need nothing more')
      .description('Notes that laid-aside records of a group were dealt with; nothing else happens to them.'),
    context,
    dismiss,
    'dismissed',
  )
}

function choice(
  command: Command,
  context: CliContext,
  carryOut: (log: EventLog, letters: readonly DeadLetter[]) => Promise<void>,
  done: string,
): void {
  command
    .option('--offset <offset...>', 'only the letters at these offsets', addOffset)
    .option('--all', 'every letter of the group that is open')
    .option('--json', 'answer in JSON')
    .action(async (group: string, options: ChoiceOptions) => {
      const letters = await withConnections(context, async ({ log }) => {
        const chosen = choose(await listDeadLetters(log, checkedGroup(group)), options)
        await carryOut(log, chosen)
        return chosen
      })
      answer(context, options, { [done]: letters.map(shown) }, () => `${letters.length} ${done}.`)
    })
}

async function redrive(log: EventLog, letters: readonly DeadLetter[]): Promise<void> {
  // One at a time: what is appended again and not noted is appended once more by a repeat, and repeats do no harm.
  for (const letter of letters) {
    await log.append('dead-letters.redrive', [await restoreRecord(log, letter)])
    await note(log, [letter], 'redriven')
  }
}

async function dismiss(log: EventLog, letters: readonly DeadLetter[]): Promise<void> {
  if (letters.length > 0) await note(log, letters, 'dismissed')
}

async function note(log: EventLog, letters: readonly DeadLetter[], done: string): Promise<void> {
  await log.append('dead-letters.redrive', resolutionsOf(letters, `${done} by ${operator()}`))
}

function choose(letters: readonly DeadLetter[], { offset, all }: ChoiceOptions): readonly DeadLetter[] {
  if (all === true && offset === undefined) return letters
  if (all === true || offset === undefined)
    throw new CommandError('Say which: --offset with one or more offsets, or --all.', EXIT_USAGE)
  const missing = offset.filter((one) => !letters.some((letter) => letter.offset === one))
  if (missing.length > 0)
    throw new CommandError(`There is no open dead letter at offset ${missing.join(', ')}.`, EXIT_USAGE)
  return letters.filter((letter) => offset.includes(letter.offset))
}

function addOffset(text: string, before: readonly number[] = []): number[] {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('An offset is a whole number.')
  return [...before, Number(text)]
}

function checkedGroup(group: string): string {
  const name = group.replace(/\.dlq$/, '')
  if (!deadLetterGroups.includes(name))
    throw new CommandError(
      `There is no group ${group}; those are ${deadLetterGroups.join(', ')}.`,
      EXIT_USAGE,
    )
  return name
}

function shown({ group, offset, cause, origin, key, headers }: DeadLetter): Record<string, unknown> {
  return {
    group,
    offset,
    cause,
    key,
    type: headers['ce_type'] ?? null,
    event_id: headers['ce_id'] ?? null,
    origin,
  }
}

function listText(letters: readonly DeadLetter[]): string {
  if (letters.length === 0) return 'No dead letters.'
  return table([
    ['GROUP', 'OFFSET', 'KEY', 'FROM', 'CAUSE'],
    ...letters.map(({ group, offset, key, origin, cause }) => [
      group,
      String(offset),
      key,
      `${origin.topic}/${origin.partition} offset ${origin.offset}`,
      cause,
    ]),
  ])
}
