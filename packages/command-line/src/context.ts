/** What every command receives: the home folder, the output, and the settings. */
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from '@cupel/kit/service'
import { paintFor, type Paint } from './paint.js'
import { localService, type ServiceTarget } from './service-target.js'
import { noteLine, printLine } from './standard-output.js'

export interface CliContext {
  readonly environment: Readonly<NodeJS.ProcessEnv>
  /** The settings, loaded on use; rejects with ConfigError. */
  readonly config: () => Promise<Config>
  /** The API that is called; throws CommandError if there is none. */
  readonly service: () => ServiceTarget
  /** CUPEL_HOME as an absolute path. */
  readonly home: string
  /** Shows logs and stacks. */
  readonly verbose: boolean
  /** As typed, for messages: `cupel labels import`. */
  readonly command: string
  /** A path from the caller, relative to the caller's folder. */
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

/** For commands of the checkout. */
export function createContext(environment: NodeJS.ProcessEnv, args: readonly string[]): CliContext {
  const named = environment['CUPEL_HOME']
  const path = (text: string): string => resolve(callersFolder(environment), text)
  const home = named === undefined || named === '' ? resolve(checkout, DEFAULT_HOME) : path(named)
  return contextWith(environment, args, {
    ...{ home, path },
    config: () => configOf(environment),
    service: () => localService(home, environment),
  })
}

/** `parts`: what the commands know of an installation and of the caller. */
export function contextWith(
  environment: NodeJS.ProcessEnv,
  args: readonly string[],
  parts: Pick<CliContext, 'home' | 'path' | 'config' | 'service'>,
): CliContext {
  return {
    ...parts,
    environment,
    verbose: args.includes('--verbose'),
    command: [
      'cupel',
      ...args.slice(0, 2).filter((arg) => /^[a-z-]+$/.test(arg) && !arg.startsWith('-')),
    ].join(' '),
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
