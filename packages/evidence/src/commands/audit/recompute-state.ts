/**
 * The file of `audit recompute --state` and `audit verify --kept`: it stores how far a run has come, so that the next run goes on there. It is
 * the auditor’s own and no proof: anyone who can change it decides the answer for what it calls done.
 */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { canonicalJson, sha256Hex } from '@cupel/domain'
import { CommandError, EXIT_FAILED } from '@cupel/command-line'

/** Raised when the contents of the file change their meaning. */
const FORMAT = 2

/** Everything that the answer depends on. Work that is done for one question does not count for another. */
export type Question = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface StateFile<State> {
  /** The state that an earlier run left; undefined if there is none. */
  readonly resume: State | undefined
  /** SHA-256 of that state, in hexadecimal, as `save` returned it; undefined if there is none. */
  readonly digest: string | undefined
  save(state: State): string
  /** A run that came to its end leaves no file, so the next one begins anew. */
  remove(): void
}

/**
 * Throws a CommandError if the file is damaged, belongs to another question, or cannot be read or written.
 * @param command whose state it is
 */
export function openStateFile<State>(path: string, question: Question, command: string): StateFile<State> {
  const found = readState(path, question, command)
  return {
    resume: found?.state as State | undefined,
    digest: found?.sha256,
    save: (state) => {
      const body = { format: FORMAT, question, state }
      const sha256 = sha256Hex(canonicalJson(body))
      attempt(path, 'written', () => replaceFile(path, `${canonicalJson({ ...body, sha256 })}\n`))
      return sha256
    },
    remove: () => attempt(path, 'removed', () => rmSync(path, { force: true })),
  }
}

function readState(
  path: string,
  question: Question,
  command: string,
): { readonly state: unknown; readonly sha256: string } | undefined {
  const text = textOf(path)
  if (text === null) return undefined
  const { format, question: asked, state, sha256 } = parsed(path, text)
  if (typeof sha256 !== 'string' || sha256 !== sha256Hex(canonicalJson({ format, question: asked, state })))
    throw new CommandError(
      `${path} is not a state of \`${command}\`, or it was changed. ${REMOVE}`,
      EXIT_FAILED,
    )
  if (format !== FORMAT || canonicalJson(asked) !== canonicalJson(question))
    throw new CommandError(
      `${path} belongs to a run with another log, other options or another version. ${REMOVE}`,
      EXIT_FAILED,
    )
  return { state, sha256 }
}

const REMOVE = 'Remove it to begin anew, or name another file.'

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new CommandError(`${path} cannot be read.`, EXIT_FAILED, { cause })
  }
}

/** The members are null if the text is not an object or no JSON; then the hash cannot match. */
function parsed(
  path: string,
  text: string,
): Readonly<Record<'format' | 'question' | 'state' | 'sha256', unknown>> {
  try {
    return { format: null, question: null, state: null, sha256: null, ...(JSON.parse(text) as object | null) }
  } catch (cause) {
    throw new CommandError(`${path} is not JSON. ${REMOVE}`, EXIT_FAILED, { cause })
  }
}

/** Replaces the file completely or not at all, even if the process is killed. */
function replaceFile(path: string, text: string): void {
  const beside = `${path}.${process.pid}.new`
  const file = openSync(beside, 'w', 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(beside, path)
}

function attempt(path: string, what: string, work: () => void): void {
  try {
    work()
  } catch (cause) {
    throw new CommandError(`${path} cannot be ${what}.`, EXIT_FAILED, { cause })
  }
}
