/** The API that a command calls, and the key that it calls with. */
import { join } from 'node:path'
import { lastProfile, readRun } from '@cupel/local-stack/home'
import { readDemoKeys } from './demo-keys-file.js'
import { CommandError, EXIT_UNAVAILABLE, EXIT_USAGE } from './explain.js'

export interface ServiceTarget {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly key: string
}

/** The installation that runs on the home, or else that of CUPEL_BASE_URL; with CUPEL_API_KEY or else the demo key. */
export function localService(home: string, environment: Readonly<NodeJS.ProcessEnv>): ServiceTarget {
  const run = readRun(home)
  const baseUrl = run?.baseUrls[0] ?? environment['CUPEL_BASE_URL']
  if (baseUrl === undefined)
    throw new CommandError(`No service runs on ${home}: start one with npm start.`, EXIT_UNAVAILABLE)
  const profile = run?.profile ?? lastProfile(home) ?? 'embedded'
  const key = environment['CUPEL_API_KEY'] ?? readDemoKeys(join(home, profile))?.read_write
  if (key === undefined) throw new CommandError('There is no demo key: set CUPEL_API_KEY.', EXIT_USAGE)
  return { baseUrl, key }
}

/** The installation of CUPEL_BASE_URL, with CUPEL_API_KEY. */
export function namedService(environment: Readonly<NodeJS.ProcessEnv>): ServiceTarget {
  const [baseUrl = '', key = ''] = [environment['CUPEL_BASE_URL'], environment['CUPEL_API_KEY']]
  const missing = Object.entries({ CUPEL_BASE_URL: baseUrl, CUPEL_API_KEY: key }).find(
    ([, value]) => value === '',
  )
  if (missing !== undefined)
    throw new CommandError(
      `Set ${missing[0]}: CUPEL_BASE_URL is the address of the installation, CUPEL_API_KEY a key of your account.`,
      EXIT_USAGE,
    )
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol))
    throw new CommandError('CUPEL_BASE_URL is not an http or https URL.', EXIT_USAGE)
  return { baseUrl: baseUrl.replace(/\/+$/, ''), key }
}
