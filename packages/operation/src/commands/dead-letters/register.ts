/** `cupel dead-letters`: lists, redrives and dismisses dead letters. */
import { InvalidArgumentError, type Command } from 'commander'
import {
  deadLetterGroups,
  FORGED_RECORD,
  listDeadLetters,
  resolutionsOf,
  restoreRecord,
  type DeadLetter,
  type EventLog,
} from '@cupel/event-log'
import {
  answer,
  table,
  type JsonOption,
  type CliContext,
  CommandError,
  EXIT_USAGE,
} from '@cupel/command-line'
import { withConnections, operator } from '@cupel/command-line/installation'

interface ChoiceOptions extends JsonOption {
  readonly offset?: readonly number[]
  readonly all?: boolean
}

export function registerDeadLetters(program: Command, context: CliContext): void {
  const commands = program.command('dead-letters').summary('records that could not be handled')
  commands
    .command('list')
    .summary('list dead letters with their causes')
    .description('Lists the open dead letters, oldest first.')
    .option('--group <group>', 'only dead letters of this group')
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
      .summary('append the records of dead letters again')
      .description(
        `Appends the records of dead letters to their original topic again, after the cause was fixed, and resolves the dead letters.
A failed screening stays failed, because the first record of a report id counts. Redriving helps if no outcome was recorded
yet, for example for a job that could not be decoded.`,
      ),
    context,
    redrive,
    'redriven',
  )
  choice(
    commands
      .command('dismiss <group>')
      .summary('resolve dead letters without a redrive')
      .description('Resolves dead letters of a group; their records are not appended again.'),
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
    .option('--offset <offset...>', 'only the dead letters at these offsets', addOffset)
    .option('--all', 'all open dead letters of the group')
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
  const forged = letters.filter(({ cause }) => cause.startsWith(FORGED_RECORD))
  if (forged.length > 0)
    throw new CommandError(
      `The dead letters at offset ${forged.map(({ offset }) => offset).join(', ')} hold records that another producer wrote. They can only be dismissed.`,
      EXIT_USAGE,
    )
  // One at a time: after a crash between append and resolution a repeated command appends the record once more, which is safe.
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
    throw new CommandError('Choose dead letters with --offset or --all.', EXIT_USAGE)
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
      `There is no group ${group}; the groups are ${deadLetterGroups.join(', ')}.`,
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
