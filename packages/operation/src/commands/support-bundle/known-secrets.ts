/** The secrets of an installation that this command can read, so that the bundle can be searched for them. None is kept. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { readRun } from '@cupel/local-stack'
import { isToldSetting, pairsOf, settings } from '@cupel/kit/service'
import { homePersonalDataKeys, homeRecordKeys } from '@cupel/command-line/installation'
import { demoKeysFile } from '@cupel/command-line'

const FILE = '_FILE'
/** Fields in files of keys and of providers that are not secret. */
const OPEN_FIELDS = /^(?:id|name|active|kind|chain|created_?at|public_?key|.*_id|algorithm|purpose)$/i
/** Their fields have names that others chose, so that any of them may hold a key. */
const FIELDS_OF_OTHERS = /^(?:headers|query)$/i
const PROFILES = ['embedded', 'kafka']

export function knownSecrets(environment: Readonly<NodeJS.ProcessEnv>, home: string): ReadonlySet<string> {
  const given = Object.entries(environment).filter(([name, value]) => name in settings && value)
  const files = given.flatMap(([name, value]) => {
    if (name.endsWith(FILE)) return [value!]
    return isToldSetting(name) ? [] : namesIn(value!).map((file) => join(value!, file))
  })
  const inHome = [
    homeRecordKeys(home),
    homePersonalDataKeys(home),
    join(home, SIGNING_KEYS_FILE),
    ...PROFILES.map((profile) => demoKeysFile(join(home, profile))),
    ...PROFILES.flatMap((profile) => passwordFiles(join(home, profile))),
  ]
  const run = readRun(home)
  return new Set([
    ...given.flatMap(([name, value]) => (isToldSetting(name) ? [] : secretsOfText(value!))),
    ...[...files, ...inHome].flatMap(secretsOfFile),
    ...(run?.databaseUrl === undefined || run.databaseUrl === null ? [] : secretsOfText(run.databaseUrl)),
    ...(run?.kafkaSasl ? [run.kafkaSasl.password] : []),
  ])
}

/** Of the servers of a profile: each has a folder of its own. */
function passwordFiles(folder: string): string[] {
  return namesIn(folder).flatMap((server) =>
    namesIn(join(folder, server))
      .filter((name) => name.endsWith('password'))
      .map((name) => join(folder, server, name)),
  )
}

/** A setting may name a folder with a secret in each file. What is no folder has no names. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
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
    return leavesOf('', JSON.parse(text), dirname(resolve(path)))
  } catch {
    return secretsOfText(text)
  }
}

/** `folder`: a field may name a file that holds the secret, from the folder of its document. */
function leavesOf(field: string, value: unknown, folder: string, isOfOthers = false): string[] {
  if (typeof value === 'string') {
    if (!isOfOthers && OPEN_FIELDS.test(field)) return []
    const named = field.toLowerCase().endsWith(FILE.toLowerCase()) ? resolve(folder, value) : null
    return [...secretsOfText(value), ...(named === null ? [] : secretsOfFile(named))]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, each]) =>
    leavesOf(Array.isArray(value) ? field : name, each, folder, isOfOthers || FIELDS_OF_OTHERS.test(name)),
  )
}

/** The text itself; of NAME=VALUE pairs the values, of a URL the password, query and path. */
function secretsOfText(text: string): string[] {
  const url = URL.canParse(text) && text.includes('://') ? new URL(text) : null
  if (url === null) return [text, ...Object.values(pairsOf(text) ?? {})]
  return [text, ...url.searchParams.values(), ...[url.password, ...url.pathname.split('/')].map(decoded)]
}

/** A part of a URL as it was before it was encoded; as it is if it was not. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
