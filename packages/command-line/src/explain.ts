/** Turns an error into one sentence and an exit code. */
import { CommanderError } from 'commander'
import { OutputClosedError } from './standard-output.js'

export interface Explanation {
  /** Empty if it was printed already. */
  readonly sentence: string
  readonly exitCode: number
}

/** The command cannot do its work; the message says why and suggests a remedy. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exitCode: number
  constructor(sentence: string, exitCode: number = EXIT_FAILED, options?: { cause?: unknown }) {
    super(sentence, options)
    this.exitCode = exitCode
  }
}

export const EXIT_FAILED = 1
export const EXIT_USAGE = 2
/** The requested thing does not exist. */
export const EXIT_NOT_FOUND = 3
/** There is nothing to prove: neither a success nor a failure. */
export const EXIT_NOTHING_TO_PROVE = 4
/** A service or the database is unavailable. */
export const EXIT_UNAVAILABLE = 69
export const EXIT_CONFIG = 78
/** As of the local stack: `permission-denied`. */
const EXIT_NOT_PERMITTED = 12
/** The exit code that a shell reports for a command that SIGPIPE ended. */
const EXIT_OUTPUT_CLOSED = 141

/** Loads the kinds of errors of an installation on use: a command that succeeds needs none of these packages for it. */
export async function explain(error: unknown): Promise<Explanation> {
  return explained(error) ?? (await explainInstallation(error)) ?? explainOther(error)
}

/** The same for a command that knows nothing of an installation. */
export const explainCommand = (error: unknown): Explanation => explained(error) ?? explainOther(error)

function explained(error: unknown): Explanation | null {
  if (error instanceof CommanderError) {
    // Commander has printed its own message; --help and --version exit with 0.
    return { sentence: '', exitCode: error.exitCode === 0 ? 0 : EXIT_USAGE }
  }
  if (error instanceof OutputClosedError) return { sentence: '', exitCode: EXIT_OUTPUT_CLOSED }
  return error instanceof CommandError ? { sentence: error.message, exitCode: error.exitCode } : null
}

async function explainInstallation(error: unknown): Promise<Explanation | null> {
  const [
    { LogStoppedError },
    { LocalStackError },
    { isUnavailable },
    { ConfigError },
    { StoreRefusedError, StoreUnavailableError },
  ] = await Promise.all([
    import('@cupel/event-log'),
    import('@cupel/local-stack'),
    import('@cupel/postgres'),
    import('@cupel/kit/service'),
    import('@cupel/kit/object-store'),
  ])
  if (error instanceof LocalStackError) return { sentence: error.message, exitCode: error.exitCode }
  if (error instanceof LogStoppedError) return { sentence: error.message, exitCode: EXIT_FAILED }
  if (error instanceof StoreUnavailableError) return { sentence: error.message, exitCode: EXIT_UNAVAILABLE }
  if (error instanceof StoreRefusedError) return { sentence: error.message, exitCode: EXIT_CONFIG }
  if (error instanceof ConfigError) return { sentence: error.message, exitCode: EXIT_CONFIG }
  if (isUnavailable(error))
    return { sentence: `The database is unavailable: ${messageOf(error)}.`, exitCode: EXIT_UNAVAILABLE }
  return null
}

function explainOther(error: unknown): Explanation {
  const code = (error as NodeJS.ErrnoException | null)?.code
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'ENOSPC')
    return { sentence: `${messageOf(error)}.`, exitCode: EXIT_NOT_PERMITTED }
  return { sentence: `${messageOf(error)} (run again with --verbose for the details)`, exitCode: EXIT_FAILED }
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ')
  return error instanceof Error && error.message !== '' ? error.message : String(error)
}
