/** A record without a MAC is named wherever it stands, also if somebody changed the rows that demand MACs. */
import { topicOf, type EventData } from '@cupel/contracts'
import { MAC_HEADER, requireMacs } from '@cupel/event-log'
import { testEvent, testRecordKeys } from '@cupel/testkit/installation'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ACCOUNT } from '../../test/account-rows.js'
import { openCommandLine, type CommandLine } from '../../test/command-line.js'

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

async function changeRequirement(required: boolean): Promise<void> {
  const data: EventData['RecordMacsChanged'] = {
    ...{ required, keyIds: [], changedBy: 'test', reason: 'test' },
    changedAt: new Date().toISOString(),
  }
  await installation.append(testEvent('RecordMacsChanged', 'record-macs', data))
}

interface Verified {
  readonly problems: readonly { readonly kind: string; readonly topic: string; readonly offset: number }[]
}

async function forged(): Promise<readonly number[]> {
  const { out } = await installation.cupel('audit', 'verify', '--json')
  const { problems } = JSON.parse(out) as Verified
  return problems
    .filter(({ kind, topic }) => kind === 'forged' && topic === TOPIC)
    .map(({ offset }) => offset)
}

test.each([
  ['left', null],
  ['deleted', 'DELETE FROM log.macs_required'],
  ['moved', 'UPDATE log.macs_required SET until_offset = first_offset'],
  [
    'moved for one topic',
    `UPDATE log.macs_required SET until_offset = first_offset WHERE topic = '${TOPIC}'`,
  ],
])(
  'records of other producers are named in the middle and at the end where the requirement was %s',
  async (_, statement) => {
    await installation.append(account('acc_0'))
    await appendForeign('acc_1')
    await installation.append(account('acc_2'), account('acc_3'))
    await appendForeign('acc_4', { [MAC_HEADER]: 'x.y' })
    await installation.append(account('acc_5'))
    await appendForeign('acc_6')
    if (statement !== null) await installation.database.execute(statement)
    expect([...(await forged())].sort()).toEqual([1, 4, 6])
  },
)

test('a topic to which nobody else wrote is covered from the first MAC of the installation on', async () => {
  await installation.append(
    testEvent('RecordMacsChanged', 'x', {
      required: true,
      keyIds: [],
      changedAt: new Date().toISOString(),
      changedBy: 'test',
      reason: 'test',
    }),
  )
  await appendForeign('acc_0')
  await installation.database.execute('DELETE FROM log.macs_required')
  expect(await forged()).toEqual([0])
})

test('what an operator allowed is not forged, and a forged permission allows nothing', async () => {
  const { log, codec, database } = installation
  await installation.append(account('acc_0'))
  await database.execute('DELETE FROM log.macs_required')
  const data = {
    required: false,
    keyIds: [],
    changedAt: new Date().toISOString(),
    changedBy: 'x',
    reason: 'x',
  }
  const permission = testEvent('RecordMacsChanged', 'record-macs', data)
  const place = { topic: topicOf('RecordMacsChanged'), key: 'record-macs' }
  await log.unchecked.append('test', [codec.encode(permission, place)])
  await appendForeign('acc_1')
  await installation.append(account('acc_2'))
  expect(await forged()).toEqual([1])
  await changeRequirement(false)
  await appendForeign('acc_3')
  await installation.append(account('acc_4'))
  await changeRequirement(true)
  await installation.append(account('acc_5'))
  await appendForeign('acc_6')
  await requireMacs({ ...installation.deps, keys: testRecordKeys, topics: [], topicPrefix: '' })
  expect(await forged()).toEqual([1, 6])
})
