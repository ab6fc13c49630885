/** What every command receives: the home folder, the output, and the settings. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '@cupel/kit/service'
import { paintFor, type Paint } from './paint.js'
import { noteLine, printLine } from './standard-output.js'

export interface CliContext {
  readonly environment: Readonly<NodeJS.ProcessEnv>
  /** The settings, loaded on use; rejects with ConfigError. */
  readonly config: () => Promise<Config>
  /** CUPEL_HOME as an absolute path. */
  readonly home: string
  /** Shows logs and stacks. */
  readonly verbose: boolean
  /** As typed, for messages: `cupel labels import`. */
  readonly command: string
  /** A path from the caller, relative to the caller's folder (npm runs scripts in another one). */
  readonly path: (text: string) => string
  /** One line of the answer, to standard output. */
  readonly print: (text: string) => void
  /** Progress and remarks, to standard error, so that standard output holds only the answer. */
  readonly note: (text: string) => void
  /** Colours for the answer, where standard output is a terminal. */
  readonly paint: Paint
}

export const checkout = fileURLToPath(new URL('../../..', import.meta.url))
const DEFAULT_HOME = '.cupel'

export function createContext(environment: NodeJS.ProcessEnv, args: readonly string[]): CliContext {
  const from = callersFolder(environment)
  const home = environment['CUPEL_HOME']
  return {
    environment,
    config: () => configOf(environment),
    home: home === undefined || home === '' ? resolve(checkout, DEFAULT_HOME) : resolve(from, home),
    verbose: args.includes('--verbose'),
    command: [
      'cupel',
      ...args.slice(0, 2).filter((arg) => /^[a-z-]+$/.test(arg) && !arg.startsWith('-')),
    ].join(' '),
    path: (text) => resolve(from, text),
    print: printLine,
    note: noteLine,
    paint: paintFor(process.stdout, environment),
  }
}

export async function configOf(environment: NodeJS.ProcessEnv): Promise<Config> {
  const { loadConfig } = await import('@cupel/kit/service')
  return loadConfig(environment)
}

/** npm changes into the checkout before it runs a script and leaves the caller's folder in INIT_CWD. */
function callersFolder(environment: NodeJS.ProcessEnv): string {
  const byNpm = ['cupel', 'start'].includes(environment['npm_lifecycle_event'] ?? '')
  return (byNpm ? environment['INIT_CWD'] : undefined) ?? process.cwd()
}
