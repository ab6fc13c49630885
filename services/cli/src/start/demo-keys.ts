/** The demo account of the development profiles with two keys, so that the first screen needs no other command. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount, issueKey, listAccounts, listKeys, revokeKey, type IssuedKey } from '@cupel/access'
import type { HeldHome } from '@cupel/local-stack'
import type { Database } from '@cupel/postgres'
import type { Stack } from '../stack/stack.js'

/** demo-keys.json, readable only by its owner. */
export interface DemoKeys {
  readonly account_id: string
  readonly read_write: string
  readonly read_write_id: string
  readonly read_only: string
  readonly read_only_id: string
}

const BY = 'system:start'
const ACCOUNT_NAME = 'Demo'
const KEY_NAME = 'demo'
const PLAN = 'pro'

/** The keys of the file if they still work, else new ones. Demo keys whose text is lost are revoked. */
export async function ensureDemoKeys(stack: Stack, home: HeldHome): Promise<DemoKeys> {
  const folder = home.profileFolder(stack.profile)
  const file = join(folder, 'demo-keys.json')
  const known = readKeys(file)
  if (known !== null && (await stillWork(stack.database, known))) return known
  const accountId = await demoAccount(stack.database)
  for (const key of await listKeys(stack.database, { accountId })) {
    if (key.name === KEY_NAME && key.revokedAt === null)
      await revokeKey(stack.database, {
        keyId: key.keyId,
        by: BY,
        reason: 'Its text was lost with demo-keys.json',
      })
  }
  const readWrite = await issue(stack.database, accountId, 'read-write')
  const readOnly = await issue(stack.database, accountId, 'read-only')
  const keys: DemoKeys = {
    account_id: accountId,
    read_write: readWrite.key,
    read_write_id: readWrite.keyId,
    read_only: readOnly.key,
    read_only_id: readOnly.keyId,
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  return keys
}

export function readDemoKeys(profileFolder: string): DemoKeys | null {
  return readKeys(join(profileFolder, 'demo-keys.json'))
}

function readKeys(file: string): DemoKeys | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as DemoKeys
  } catch {
    // The file is missing or incomplete: issue new keys.
    return null
  }
}

async function stillWork(database: Database, known: DemoKeys): Promise<boolean> {
  const keys = await listKeys(database, { accountId: known.account_id })
  const working = new Set(keys.filter((key) => key.revokedAt === null).map((key) => key.keyId))
  return working.has(known.read_write_id) && working.has(known.read_only_id)
}

async function demoAccount(database: Database): Promise<string> {
  const existing = (await listAccounts(database)).find((account) => account.name === ACCOUNT_NAME)
  return (existing ?? (await createAccount(database, { name: ACCOUNT_NAME, by: BY }))).accountId
}

async function issue(
  database: Database,
  accountId: string,
  scope: 'read-only' | 'read-write',
): Promise<IssuedKey> {
  return await issueKey(database, {
    accountId,
    environment: 'live',
    scope,
    plan: PLAN,
    name: KEY_NAME,
    by: BY,
  })
}
