/** Archives on a server with the S3 interface that checks signatures and conditions. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { killedAt, startS3Server, until, type S3Server } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { StoreRefusedError } from '@cupel/kit/object-store'
import { ArchiveInUseError, type ArchiveStore } from '../src/index.js'
import {
  check,
  openArchivedLog,
  OTHER_TOPIC,
  recordsOf,
  runRestore,
  storeOf,
  TOPIC,
  useS3Store,
  type ArchivedLog,
} from './archived-log.js'

let server: S3Server
let bucket: string
let own: ArchivedLog
beforeAll(async () => {
  server = await startS3Server()
})
afterAll(() => server.stop())
beforeEach(async () => {
  bucket = server.newBucket()
  useStore()
  own = await openArchivedLog(`s3://${bucket}/archives/one`)
})
afterEach(() => own.close())

const LEASE_MS = 400

function useStore(options: { readonly leaseMs?: number; readonly secretAccessKey?: string } = {}): void {
  const { leaseMs = LEASE_MS, secretAccessKey = server.credentials.secretAccessKey } = options
  const credentials = { ...server.credentials, secretAccessKey }
  useS3Store({ endpoint: server.endpoint, region: 'eu-central-1', credentials, leaseMs })
}

const fileOf = (path: string): string => join(server.folderOf(bucket), 'archives/one', path)

async function expectWhole(): Promise<void> {
  const { faults, records } = await check(own.folder, own.keys)
  expect(faults).toEqual([])
  expect(records).toEqual(await recordsOf(own.log))
}

test('each run adds what is new, the archive reads as the log does, and a log is made of it', async () => {
  await own.append(130)
  await own.append(41, { topic: OTHER_TOPIC })
  expect(await own.create()).toMatchObject({ number: 4, records: 171, segments: 10 })
  await own.append(3, { partition: 1 })
  expect(await own.create()).toMatchObject({ number: 5, records: 3, segments: 1 })
  expect(await own.create()).toMatchObject({ number: 5, records: 0 })
  await expectWhole()
  const other = await openArchivedLog()
  try {
    const { log } = other
    expect(await runRestore({ log, keys: own.keys, folder: own.folder })).toMatchObject({ records: 174 })
    expect(await recordsOf(other.log)).toEqual(await recordsOf(own.log))
  } finally {
    await other.close()
  }
})

const PROGRAM = new URL('./archive-process.ts', import.meta.url)

test('killed at any step, the archive counts as it was, and the next run completes it', async () => {
  await own.append(130)
  const points = ['before:archive.segment:2', 'after:archive.segment:2', 'before:archive.manifest:1']
  points.push('after:archive.manifest:1', 'after:archive.segment:4')
  for (const point of points) {
    await own.append(7)
    await until(() =>
      killedAt(PROGRAM, ['create', own.installation.connectionString, own.keyFile, own.folder], point),
    )
    const { contents, records } = await check(own.folder, own.keys)
    const held = [...contents.segments.values()].flat().reduce((sum, segment) => sum + segment.records, 0)
    expect(records).toEqual((await recordsOf(own.log)).slice(0, held))
  }
  // The lock of the killed run is released when its lease ends.
  await until(() => own.create())
  await expectWhole()
})

/** A run that stops before its next manifest until `goOn` is called. */
function paused(): { readonly store: ArchiveStore; readonly atManifest: Promise<void>; goOn(): void } {
  const store = storeOf(own.folder)
  let [reached, goOn] = [(): void => undefined, (): void => undefined]
  const atManifest = new Promise<void>((resolve) => (reached = resolve))
  const gate = new Promise<void>((resolve) => (goOn = resolve))
  const create: ArchiveStore['create'] = async (path) => {
    if (path.startsWith('manifests/')) {
      reached()
      await gate
    }
    return await store.create(path)
  }
  return { store: { ...store, create }, atManifest, goOn: () => goOn() }
}

test('a run that another one took for dead ends without a trace', async () => {
  useStore({ leaseMs: 60_000 })
  await own.append(130)
  const first = paused()
  const ended = own.create({ store: first.store }).catch((error: unknown) => error)
  await Promise.race([first.atManifest, ended])
  await expect(own.create()).rejects.toThrow(ArchiveInUseError)
  // The same state as after its lease ended while it was stopped.
  rmSync(fileOf('lock'))
  await own.append(20)
  await own.create()
  first.goOn()
  expect(await ended).toBeInstanceOf(ArchiveInUseError)
  await expectWhole()
})

test('a run that was taken for dead cannot name segments that the other one removes', async () => {
  useStore({ leaseMs: 60_000 })
  await own.append(130)
  const first = paused()
  const ended = own.create({ store: first.store }).catch((error: unknown) => error)
  await Promise.race([first.atManifest, ended])
  rmSync(fileOf('lock'))
  const second = storeOf(own.folder)
  // The first run continues at the moment when the second one removes the segments that no manifest names.
  const remove: ArchiveStore['remove'] = async (path) => {
    first.goOn()
    await ended
    await second.remove(path)
  }
  await own.create({ store: { ...second, remove } })
  expect(await ended).toBeInstanceOf(ArchiveInUseError)
  await expectWhole()
})

test('what was changed in the store is named', async () => {
  await own.append(130)
  await own.create()
  const segment = `segments/${TOPIC}/0/0000000000000020.avro`
  const bytes = readFileSync(fileOf(segment))
  bytes[500]! ^= 1
  writeFileSync(fileOf(segment), bytes)
  rmSync(fileOf(`segments/${TOPIC}/0/0000000000000040.avro`))
  expect((await check(own.folder, own.keys)).faults).toMatchObject([
    { file: segment, detail: 'Its bytes are not those that were signed.' },
    { file: `segments/${TOPIC}/0/0000000000000040.avro`, detail: 'It is missing.' },
  ])
})

test('a wrong secret and a missing bucket are refused', async () => {
  await own.append(1)
  useStore({ secretAccessKey: 'wrong' })
  await expect(own.create()).rejects.toThrow(/403: SignatureDoesNotMatch/)
  useStore()
  const log = { log: own.log, keys: own.keys }
  const { runCreate } = await import('./archived-log.js')
  await expect(runCreate({ ...log, folder: 's3://no-such-bucket/one' })).rejects.toThrow(StoreRefusedError)
})
