/** The demo account of the development profiles with three keys, so that the first screen needs no other command. */
import { mkdirSync, writeFileSync } from 'node:fs'
import {
  createAccount,
  issueKey,
  listAccounts,
  listKeys,
  revokeKey,
  type IssuedKey,
  type KeyOrder,
} from '@cupel/gate/access'
import type { HeldHome } from '@cupel/local-stack'
import { openPersonalData, openValue, type PersonalData } from '@cupel/personal-data'
import type { Database } from '@cupel/postgres'
import type { Stack } from '@cupel/command-line/installation'
import { demoKeysFile, readDemoKeys, type DemoKeys } from '@cupel/command-line'

const BY = 'system:start'
const ACCOUNT_NAME = 'Demo'
const KEY_NAME = 'demo'
const PLAN = 'pro'

/** The keys of the file if they still work, else new ones. Demo keys whose text is lost are revoked. */
export async function ensureDemoKeys(stack: Stack, home: HeldHome): Promise<DemoKeys> {
  const folder = home.profileFolder(stack.profile)
  const known = readDemoKeys(folder)
  const working = known === null ? null : await workingKeys(stack.database, known)
  if (known !== null && working!.has(known.operator_id)) return known
  const { database, personalDataKeysFile: keysFile } = stack
  const sealing = await openPersonalData({ database, keysFile })
  // A file of an earlier version has no operator's key; whoever holds the others goes on with them.
  if (known !== null && working!.size > 0) {
    const operator = await issue(database, { accountId: known.account_id, sealing, scope: 'operator' })
    return keep(folder, { ...known, operator: operator.key, operator_id: operator.keyId })
  }
  const accountId = await demoAccount(database, sealing)
  for (const key of await openValue(sealing, await listKeys(database, { accountId }))) {
    if (key.name === KEY_NAME && key.revokedAt === null)
      await revokeKey(database, {
        ...{ keyId: key.keyId, sealing },
        by: BY,
        reason: 'Its text was lost with demo-keys.json',
      })
  }
  const readWrite = await issue(database, { accountId, sealing, scope: 'read-write' })
  const readOnly = await issue(database, { accountId, sealing, scope: 'read-only' })
  const operator = await issue(database, { accountId, sealing, scope: 'operator' })
  const keys: DemoKeys = {
    account_id: accountId,
    read_write: readWrite.key,
    read_write_id: readWrite.keyId,
    read_only: readOnly.key,
    read_only_id: readOnly.keyId,
    operator: operator.key,
    operator_id: operator.keyId,
  }
  return keep(folder, keys)
}

function keep(folder: string, keys: DemoKeys): DemoKeys {
  mkdirSync(folder, { recursive: true })
  writeFileSync(demoKeysFile(folder), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 })
  return keys
}

/** The ids of the working keys of the demo account; none if a key of the file does not work. */
async function workingKeys(database: Database, known: DemoKeys): Promise<ReadonlySet<string>> {
  const keys = await listKeys(database, { accountId: known.account_id })
  const working = new Set(keys.filter((key) => key.revokedAt === null).map((key) => key.keyId))
  return working.has(known.read_write_id) && working.has(known.read_only_id) ? working : new Set()
}

async function demoAccount(database: Database, sealing: PersonalData): Promise<string> {
  const accounts = await openValue(sealing, await listAccounts(database))
  const existing = accounts.find((account) => account.name === ACCOUNT_NAME)
  return (existing ?? (await createAccount(database, { name: ACCOUNT_NAME, by: BY, sealing }))).accountId
}

async function issue(
  database: Database,
  order: Pick<KeyOrder, 'accountId' | 'scope' | 'sealing'>,
): Promise<IssuedKey> {
  return await issueKey(database, {
    ...order,
    environment: 'live',
    plan: PLAN,
    name: KEY_NAME,
    by: BY,
  })
}
