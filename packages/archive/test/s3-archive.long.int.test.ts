/** Archives on a server with the S3 interface that checks signatures and conditions. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { killedAt, startS3Server, until, type S3Server } from '@cupel/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { ArchiveInUseError, type ArchiveStore } from '../src/index.js'
import { check, openArchivedLog, recordsOf, storeOf, useS3Store, type ArchivedLog } from './archived-log.js'

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

function useStore(leaseMs = LEASE_MS): void {
  const { endpoint, credentials } = server
  useS3Store({ endpoint, region: 'eu-central-1', credentials, leaseMs })
}

const fileOf = (path: string): string => join(server.folderOf(bucket), 'archives/one', path)

async function expectWhole(): Promise<void> {
  const { faults, records } = await check(own.folder, own.keys)
  expect(faults).toEqual([])
  expect(records).toEqual(await recordsOf(own.log))
}

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
  useStore(60_000)
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
  useStore(60_000)
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
