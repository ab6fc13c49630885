/** Examines an installation, one check after the other. A check that fails, or cannot run, hides no other. */
import type { EventLog, SchemaRegistry } from '@cupel/event-log'
import type { RunFile } from '@cupel/local-stack'
import { isUnavailable, type Database } from '@cupel/postgres'
import type { Config } from '@cupel/kit/service'
import type { SigningKeys } from '@cupel/signing'
import { explain } from '@cupel/command-line'
import type { ServiceLogin } from '@cupel/command-line/installation'

export interface Examined {
  readonly config: Config
  readonly database: Database
  /** How services connect, if they have roles of their own. */
  readonly logins: readonly ServiceLogin[]
  readonly log: EventLog
  readonly registry: SchemaRegistry | null
  /** Null if nothing is signed. */
  readonly signingKeys: SigningKeys | null
  /** The local installation that runs; null if there is none. */
  readonly run: RunFile | null
  /** CUPEL_HOME of a local installation; null if its data is elsewhere. */
  readonly home: string | null
}

export interface Finding {
  /** Subject of the check: `topics`. */
  readonly name: string
  /** `warning`: it works, but an operator should know. */
  readonly state: 'ok' | 'warning' | 'fault'
  readonly detail: string
  /** The remedy for an operator; empty if nothing is to be done. */
  readonly remedy: string
}

export interface Check {
  readonly name: string
  /** Checks that this one depends on: if one of them failed, this one is skipped. */
  readonly needs?: readonly string[]
  readonly look: () => Promise<readonly Omit<Finding, 'name'>[]>
}

export const INSTALL = 'Run `cupel install`.'
/** The longest one check may take. */
const CHECK_TIMEOUT_MS = 60_000

export const ok = (detail: string): Omit<Finding, 'name'> => ({ state: 'ok', detail, remedy: '' })
export const warning = (detail: string, remedy: string): Omit<Finding, 'name'> => ({
  state: 'warning',
  detail,
  remedy,
})
export const fault = (detail: string, remedy: string): Omit<Finding, 'name'> => ({
  state: 'fault',
  detail,
  remedy,
})

/** One finding or more for each check. */
export async function examine(checks: readonly Check[]): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  const failed = new Set<string>()
  for (const { name, needs = [], look } of checks) {
    const missing = needs.find((need) => failed.has(need))
    const found =
      missing === undefined ? await made(look) : [warning(`Not checked, because of ${missing}.`, '')]
    if (missing !== undefined || found.some(({ state }) => state === 'fault')) failed.add(name)
    findings.push(...found.map((each) => ({ name, ...each })))
  }
  return findings
}

async function made(look: Check['look']): Promise<readonly Omit<Finding, 'name'>[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`)),
      CHECK_TIMEOUT_MS,
    )
  })
  try {
    return await Promise.race([look(), late])
  } catch (error) {
    const sentence = (await explain(error)).sentence.replace(
      ' (run again with --verbose for the details)',
      '',
    )
    return [
      fault(
        sentence,
        isUnavailable(error) ? 'Check the address, the credentials, the server and the network between.' : '',
      ),
    ]
  } finally {
    clearTimeout(timer)
  }
}
