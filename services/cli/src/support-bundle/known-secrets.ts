/** The secrets of an installation that this command can read, so that the bundle can be searched for them. None is kept. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { REPORT_SIGNING_KEYS_FILE, SIGNING_KEYS_FILE } from '@cupel/transparency'
import { readRun } from '@cupel/local-stack'
import { isToldSetting, settings } from '@cupel/service-kit'
import { homePersonalDataKeys, homeRecordKeys } from '../record-keys-file.js'
import { demoKeysFile } from '../start/demo-keys-file.js'

const FILE = '_FILE'
/** Fields in files of keys and of providers that are not secret. */
const OPEN_FIELDS = /^(?:id|name|active|kind|chain|created_?at|public_?key|.*_id|algorithm|purpose)$/i

export function knownSecrets(environment: Readonly<NodeJS.ProcessEnv>, home: string): ReadonlySet<string> {
  const given = Object.entries(environment).filter(([name, value]) => name in settings && value)
  const files = given.flatMap(([name, value]) => (name.endsWith(FILE) ? [value!] : []))
  const inHome = [
    homeRecordKeys(home),
    homePersonalDataKeys(home),
    join(home, SIGNING_KEYS_FILE),
    join(home, REPORT_SIGNING_KEYS_FILE),
    ...['embedded', 'kafka'].map((profile) => demoKeysFile(join(home, profile))),
  ]
  const run = readRun(home)
  return new Set([
    ...given.flatMap(([name, value]) => (isToldSetting(name) ? [] : secretsOfText(value!))),
    ...[...files, ...inHome].flatMap(secretsOfFile),
    ...(run?.databaseUrl === undefined || run.databaseUrl === null ? [] : secretsOfText(run.databaseUrl)),
    ...(run?.kafkaSasl ? [run.kafkaSasl.password] : []),
  ])
}

function secretsOfFile(path: string): string[] {
  let text: string
  try {
    text = readFileSync(path, 'utf8').trim()
  } catch {
    // A file that this command cannot read cannot get into the bundle either.
    return []
  }
  try {
    return leavesOf('', JSON.parse(text))
  } catch {
    return secretsOfText(text)
  }
}

function leavesOf(field: string, value: unknown): string[] {
  if (typeof value === 'string') return OPEN_FIELDS.test(field) ? [] : secretsOfText(value)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) => leavesOf(Array.isArray(value) ? field : name, each))
}

/** The text itself; of a URL the parts that name no place: user, password, query and path. */
function secretsOfText(text: string): string[] {
  const url = URL.canParse(text) && text.includes('://') ? new URL(text) : null
  if (url === null) return [text]
  const decoded = [url.password].map((part) => decodeURIComponent(part))
  return [text, ...decoded, ...url.searchParams.values(), ...url.pathname.split('/')]
}
