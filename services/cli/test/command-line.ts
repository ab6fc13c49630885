/** An installation with every part that the command knows, and the command as an operator calls it. */
import { readModels } from '@cupel/operation/read-models'
import {
  openTestInstallation,
  TEST_RECORD_KEYS_FILE,
  type TestInstallation,
  type TestInstallationOptions,
} from '@cupel/testkit/installation'
import { expect } from 'vitest'
import { createContext } from '@cupel/command-line'
import { createProgram } from '../src/program.js'
import { migrationSources } from '@cupel/command-line/installation'

/** Result of one command; an error it threw is not rethrown. */
export interface Said {
  readonly out: string
  /** Output of the command on standard error, beside the answer. */
  readonly notes: string
  readonly error: unknown
  readonly exitCode: number
}

export interface CommandLine extends TestInstallation {
  /** Settings with which the command finds the installation. */
  readonly environment: Readonly<Record<string, string>>
  cupel(...args: readonly string[]): Promise<Said>
  /** Runs `cupel --json` and parses its answer; throws if the command fails. */
  json<T>(...args: readonly string[]): Promise<T>
}

/** `openLog` replaces the log of the template, which has the same identity in every installation. */
export async function openCommandLine(
  settings: Readonly<Record<string, string>> = {},
  { openLog }: Pick<TestInstallationOptions, 'openLog'> = {},
): Promise<CommandLine> {
  const installation = await openTestInstallation({
    ...(openLog === undefined ? {} : { openLog }),
    migrations: migrationSources,
    readModels,
    statementTimeoutMs: 0,
  })
  const environment = {
    CUPEL_HOME: installation.folder,
    CUPEL_DATABASE_URL: installation.connectionString,
    CUPEL_LOG: 'embedded',
    CUPEL_RECORD_KEYS_FILE: TEST_RECORD_KEYS_FILE,
    ...settings,
  }
  const cupel = (...args: readonly string[]): Promise<Said> => callCupel(environment, args)
  return {
    ...installation,
    environment,
    cupel,
    async json<T>(...args: readonly string[]) {
      const said = await cupel(...args, '--json')
      expect(said.error).toBeNull()
      return JSON.parse(said.out) as T
    },
  }
}

/** Calls one command with the given settings. */
export async function callCupel(
  environment: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Said> {
  const out: string[] = []
  const notes: string[] = []
  const context = {
    ...createContext(environment, args),
    print: (text: string) => void out.push(text),
    note: (text: string) => void notes.push(text),
  }
  process.exitCode = 0
  let error: unknown = null
  await createProgram(context, args)
    .then((program) => program.parseAsync([...args], { from: 'user' }))
    .catch((thrown: unknown) => (error = thrown))
  const exitCode = Number(process.exitCode ?? 0)
  process.exitCode = 0
  return { out: out.join('\n'), notes: notes.join('\n'), error, exitCode }
}
