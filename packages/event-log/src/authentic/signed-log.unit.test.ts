import { generateKeyPairSync } from 'node:crypto'
import { derivedTopicSpecs, eventSchemas, topicOf, type EventType } from '@cupel/contracts'
import { createSignatureCheck, openSigner, SIGNATURE_HEADER } from '@cupel/signing'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { EventLog, NewRecord, Position } from '../port.js'
import { IDENTITY_KEPT_MS, signedLog } from './signed-log.js'

const LOG = 'log-1'
const signer = openSigner('cupel/test', generateKeyPairSync('ed25519').privateKey)
const check = createSignatureCheck([signer.key], [LOG])

function recorded() {
  const appended: NewRecord[] = []
  const sign = vi.fn(signer.sign)
  const identity = vi.fn(async () => LOG)
  const log = {
    identity,
    append: (_at: string, records: readonly NewRecord[]): Promise<readonly Position[]> => {
      appended.push(...records)
      return Promise.resolve(records.map(({ topic }, offset) => ({ topic, partition: 0, offset })))
    },
  } as unknown as EventLog
  return { appended, identity, sign, log: signedLog(log, { ...signer, sign }) }
}

const record = (topic: string, key: string): NewRecord => ({
  ...{ topic, key, value: Buffer.from(key) },
  headers: { ce_id: key, ce_type: 'Tested' },
})
const topics = (visibility: 'public' | 'internal'): string[] =>
  (Object.keys(eventSchemas) as EventType[])
    .filter((type) => eventSchemas[type].visibility === visibility)
    .flatMap((type) => [topicOf(type), topicOf(type, false)])

test('each record of each public topic, of the sandbox and of derived state too, is signed', async () => {
  const names = [...topics('public'), ...derivedTopicSpecs.map(({ name }) => name)]
  const { appended, log } = recorded()
  await log.append(
    'test',
    names.map((name, at) => record(name, `key-${at}`)),
  )
  expect(appended.map((each) => check(each))).toEqual(
    names.map(() => ({ kind: 'signed', keyId: signer.key.id })),
  )
})

test('records of one moment share a signature, and those of a partition keep their order', async () => {
  const { appended, log, sign } = recorded()
  const calls = Array.from({ length: 40 }, (_, call) =>
    log.append(
      'test',
      Array.from({ length: call % 3 === 0 ? 9 : 1 }, (_each, at) =>
        record(topicOf('ReportGenerated'), `${String(call).padStart(2, '0')}-${at}`),
      ),
    ),
  )
  await Promise.all(calls)
  expect(appended.map(({ key }) => key)).toEqual(appended.map(({ key }) => key).sort())
  expect(appended.every((each) => check(each).kind === 'signed')).toBe(true)
  expect(sign).toHaveBeenCalledTimes(1)
})

test('the log is asked for its identity before the first signature, and again after some time, or where it did not answer', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const { appended, identity, log } = recorded()
  const append = async (key: string) => await log.append('test', [record(topicOf('ReportGenerated'), key)])
  identity.mockRejectedValueOnce(new Error('the log does not answer'))
  await expect(append('a')).rejects.toThrow('the log does not answer')
  expect(appended).toEqual([])
  await append('b')
  vi.advanceTimersByTime(IDENTITY_KEPT_MS - 1)
  await append('c')
  expect(identity).toHaveBeenCalledTimes(2)
  identity.mockResolvedValue('log-2')
  vi.advanceTimersByTime(1)
  await append('d')
  expect(identity).toHaveBeenCalledTimes(3)
  const checkNow = createSignatureCheck([signer.key], ['log-2'])
  expect(appended.map((each) => checkNow(each).kind === 'signed')).toEqual([false, false, true])
})

test('an internal record is appended at once and without a signature, and no signature of another stays on a record', async () => {
  const { appended, log } = recorded()
  const isPublic = new Set(topics('public'))
  const internal = topics('internal').find((topic) => !isPublic.has(topic))!
  void log.append('test', [record(internal, 'internal')])
  expect(appended).toHaveLength(1)
  const forged = { ...record(topicOf('ReportGenerated'), 'other'), headers: { [SIGNATURE_HEADER]: 'forged' } }
  await log.append('test', [record(internal, 'second'), forged])
  expect(appended.map((each) => check(each).kind)).toEqual(['no-signature', 'no-signature', 'signed'])
})

test('without a key records are appended as they are', async () => {
  const { log } = recorded()
  expect(signedLog(log, null)).toBe(log)
})
