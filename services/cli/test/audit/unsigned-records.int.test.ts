/** A record without a MAC is named wherever it stands, with and without record keys. */
import { join } from 'node:path'
import { topicOf } from '@cupel/contracts'
import { MAC_HEADER } from '@cupel/event-log'
import { createSigningKeys, readSigningKeys, verifierKey } from '@cupel/signing'
import { testEvent } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ACCOUNT } from '../account-rows.js'
import { callCupel, openCommandLine, type CommandLine } from '../command-line.js'

const TOPIC = topicOf('AccountCreated')

let installation: CommandLine
beforeEach(async () => {
  installation = await openCommandLine()
})
afterEach(() => installation.close())

const account = (accountId: string) =>
  testEvent('AccountCreated', accountId, { accountId, ...ACCOUNT, reason: '' })

/** Appends as a producer without the record keys. */
async function appendForeign(
  accountId: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { log, codec } = installation
  const record = codec.encode(account(accountId), { topic: TOPIC, key: accountId })
  await log.unchecked.append('test', [{ ...record, headers: { ...record.headers, ...headers } }])
}

function withoutKeys(): Readonly<Record<string, string>> {
  const { CUPEL_RECORD_KEYS_FILE: file, ...environment } = installation.environment
  expect(file).toBeDefined()
  return environment
}

interface Verified {
  readonly problems: readonly { readonly kind: string; readonly topic: string; readonly offset: number }[]
}

const forged = (out: string): readonly number[] =>
  (JSON.parse(out) as Verified).problems
    .filter(({ kind, topic }) => kind === 'forged' && topic === TOPIC)
    .map(({ offset }) => offset)
    .sort()

test('records of other producers are named at the beginning, in the middle and at the end', async () => {
  await appendForeign('acc_0')
  await installation.append(account('acc_1'))
  await appendForeign('acc_2')
  await installation.append(account('acc_3'))
  await appendForeign('acc_4', { [MAC_HEADER]: 'x.y' })
  await installation.append(account('acc_5'))
  await appendForeign('acc_6')
  const verify = ['audit', 'verify', '--json']
  expect(forged((await installation.cupel(...verify)).out)).toEqual([0, 2, 4, 6])
  // An auditor without the keys sees which records have no MAC.
  const keysFile = join(installation.folder, 'auditors-keys.json')
  createSigningKeys(keysFile)
  const key = verifierKey(readSigningKeys(keysFile).signer.key)
  const publicKeys = await installation.file('public-keys.txt', key)
  const without = withoutKeys()
  const { out } = await callCupel(without, [...verify, '--public-keys', publicKeys])
  expect(forged(out)).toEqual([0, 2, 6])
})

test('without the registered keys nothing but an audit reads the log', async () => {
  const without = withoutKeys()
  const { error } = await callCupel(without, ['audit', 'verify'])
  expect(String(error)).toContain('CUPEL_RECORD_KEYS_FILE is required')
})
