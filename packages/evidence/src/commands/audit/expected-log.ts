/** The expectations of a proof: the log that is meant, and the least number of reports. A proof of less does not count. */
import type { EventLog } from '@cupel/event-log'
import type { Command } from 'commander'
import {
  CommandError,
  EXIT_FAILED,
  EXIT_NOTHING_TO_PROVE,
  wholeNumber,
  type JsonOption,
  type CliContext,
} from '@cupel/command-line'
import { NoArchiveError, NoInstallationError } from '@cupel/command-line/installation'

export interface ExpectationOptions extends JsonOption {
  readonly expectLog?: string
  readonly minReports?: number
}

export function addExpectations(command: Command): Command {
  return command
    .option('--expect-log <id>', 'fail unless this is the log, as an earlier proof named it')
    .option('--min-reports <count>', 'fail where the log has fewer reports', wholeNumber)
}

/** Throws a CommandError if the log is another one than expected. */
export async function requireLog(log: EventLog, { expectLog }: ExpectationOptions): Promise<string> {
  const identity = await log.identity()
  if (expectLog !== undefined && expectLog !== identity)
    throw new CommandError(`This is the log ${identity}, not ${expectLog}.`, EXIT_FAILED)
  return identity
}

/** The sentence that says how many reports are missing; null if there are enough. */
export function tooFew(reports: number, { minReports = 0 }: ExpectationOptions): string | null {
  if (reports >= minReports) return null
  return `The log has ${reports.toLocaleString('en-US')} reports, and at least ${minReports.toLocaleString('en-US')} are expected.`
}

/** Runs a proof. Where there is no installation or no archive, it reports that there is nothing to prove. */
export async function proving<T>(
  context: CliContext,
  options: JsonOption,
  prove: () => Promise<T>,
): Promise<T> {
  try {
    return await prove()
  } catch (error) {
    if (!(error instanceof NoInstallationError) && !(error instanceof NoArchiveError)) throw error
    if (options.json === true) context.print(JSON.stringify({ log: null, reports: 0, is_proven: false }))
    throw new CommandError(`${NOTHING} ${error.message}`, EXIT_NOTHING_TO_PROVE, { cause: error })
  }
}

export const NOTHING = 'There is nothing to prove.'
