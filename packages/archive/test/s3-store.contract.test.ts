/** Faults of an archive's store and their results: never a shorter archive, and never another archive's file under its name. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreRefusedError, StoreUnavailableError } from '@cupel/kit/object-store'
import { errorOf, makeCertificate, type StoreFault } from '@cupel/testkit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  ArchiveError,
  ArchiveInUseError,
  openFolderStore,
  openS3Store,
  type ArchiveStore,
} from '../src/index.js'
import { openScriptedArchive, type ScriptedArchive } from './scripted-archive.js'

const MANIFEST = 'manifests/00000001.json'
const KEY = `one/${MANIFEST}`

let folder: string
let server: ScriptedArchive
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-archive-store-'))
  server = await openScriptedArchive()
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function put(store: ArchiveStore, path: string, text: string, isNew = false): Promise<void> {
  const draft = await store.create(path)
  for (const letter of text) await draft.write(Buffer.from(letter))
  await draft.put({ isNew })
}

const textOf = async (store: ArchiveStore, path: string): Promise<string | undefined> =>
  (await store.read(path, 100))?.toString()

/** Makes the calls of one method to one key fail. */
function failing(method: string, key: string, faultOf: (attempt: number) => StoreFault | null): void {
  server.fault = (asked) =>
    asked.method === method && asked.path === `/archives/${key}` ? faultOf(asked.attempt) : null
}

describe.each(['folder', 'store'])('an archive in a %s', (kind) => {
  const open = (): ArchiveStore =>
    kind === 'folder' ? openFolderStore(join(folder, 'archive')) : server.open()

  test('has the files that were put, in the order of their names, and nothing else', async () => {
    const store = open()
    expect(await store.list()).toEqual([])
    expect(await store.read(MANIFEST, 100)).toBeNull()
    await put(store, 'segments/t/0/2.avro', 'two')
    await put(store, 'segments/t/0/1.avro', 'one')
    await put(store, MANIFEST, 'manifest', true)
    const draft = await store.create('segments/t/0/3.avro')
    await draft.write(Buffer.from('given up'))
    await draft.discard()
    expect(await store.list()).toEqual([MANIFEST, 'segments/t/0/1.avro', 'segments/t/0/2.avro'])
    expect(await textOf(store, MANIFEST)).toBe('manifest')
    await store.remove('segments/t/0/2.avro')
    await store.remove('segments/t/0/2.avro')
    expect(await store.list()).toEqual([MANIFEST, 'segments/t/0/1.avro'])
  })

  test('never has a new file in the place of one', async () => {
    const store = open()
    await put(store, MANIFEST, 'first', true)
    await expect(put(store, MANIFEST, 'second', true)).rejects.toThrow()
    expect(await textOf(store, MANIFEST)).toBe('first')
  })

  test('refuses a file that is larger than belongs there', async () => {
    const store = open()
    await put(store, MANIFEST, 'x'.repeat(101))
    await expect(store.read(MANIFEST, 100)).rejects.toThrow(ArchiveError)
    expect((await store.read(MANIFEST, 101))?.length).toBe(101)
  })

  test('is held by one writer', async () => {
    const store = open()
    expect(await store.isHeld()).toBe(false)
    const held = await store.hold()
    expect(await store.isHeld()).toBe(true)
    await expect(open().hold()).rejects.toThrow(ArchiveInUseError)
    await held.release()
    expect(await store.isHeld()).toBe(false)
    expect(await store.list()).toEqual([])
    await (await open().hold()).release()
  })
})

describe('a store', () => {
  test('lists as many pages as it has', async () => {
    server.pageSize = 3
    const names = Array.from({ length: 10 }, (_, index) => `segments/t/0/${index}.avro`)
    for (const name of names) server.objects.set(`one/${name}`, Buffer.from('x'))
    server.objects.set('another/segments/t/0/1.avro', Buffer.from('x'))
    expect(await server.open().list()).toEqual(names)
    expect(server.calls.length).toBe(4)
  })

  test.each<StoreFault>([
    { kind: 'status', status: 503, body: errorOf('SlowDown').toString() },
    { kind: 'status', status: 500 },
    { kind: 'status', status: 429 },
    { kind: 'status', status: 409, body: errorOf('ConditionalRequestConflict').toString() },
    { kind: 'silence' },
    { kind: 'reset' },
    { kind: 'cut' },
  ])('may fail for a while: %j', async (fault) => {
    const store = server.open()
    failing('PUT', KEY, (attempt) => (attempt <= 2 ? fault : null))
    await put(store, MANIFEST, 'manifest', true)
    failing('GET', KEY, (attempt) => (attempt <= 2 ? fault : null))
    expect(await textOf(store, MANIFEST)).toBe('manifest')
    // An empty answer cannot be cut off.
    expect(server.calls).toHaveLength(fault.kind === 'cut' ? 4 : 6)
  })

  test.each<StoreFault>([{ kind: 'status', status: 503 }, { kind: 'reset' }, { kind: 'cut' }])(
    'that goes on failing is not an archive without the file: %j',
    async (fault) => {
      const store = server.open()
      await put(store, MANIFEST, 'manifest', true)
      server.fault = () => fault
      await expect(store.read(MANIFEST, 100)).rejects.toThrow(StoreUnavailableError)
      await expect(store.list()).rejects.toThrow(StoreUnavailableError)
      await expect(store.isHeld()).rejects.toThrow(StoreUnavailableError)
      await expect(store.hold()).rejects.toThrow(StoreUnavailableError)
    },
  )

  test('that is dead is named with its address', async () => {
    const store = openS3Store('s3://archives/one', {
      ...{ endpoint: 'http://127.0.0.1:1', region: 'us-east-1', times: { pauseMs: 1, maxPauseMs: 1 } },
      credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
    })
    await expect(store.read(MANIFEST, 100)).rejects.toThrow(
      `The store 127.0.0.1:1 did not answer GET archives/${KEY} in 8 attempts: connect ECONNREFUSED 127.0.0.1:1.`,
    )
  })

  test.each([403, 400, 301, 307])('that refuses is asked once: %d', async (status) => {
    server.fault = () => ({ kind: 'status', status, body: errorOf('AccessDenied').toString() })
    await expect(server.open().read(MANIFEST, 100)).rejects.toThrow(
      /refused GET .*AccessDenied \(It says so\.\)/,
    )
    expect(server.calls).toHaveLength(1)
  })

  test.each([errorOf('NoSuchBucket').toString(), '<html>Not found</html>', ''])(
    'that has no such bucket, or another server, is not an empty archive: %s',
    async (body) => {
      server.fault = () => ({ kind: 'status', status: 404, body })
      await expect(server.open().read(MANIFEST, 100)).rejects.toThrow(StoreRefusedError)
      await expect(server.open().list()).rejects.toThrow(StoreRefusedError)
    },
  )

  test.each([
    ['cut off', '<ListBucketResult><IsTruncated>false</IsTruncated><Contents>'],
    [
      'without an end',
      '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken></ListBucketResult>',
    ],
    ['without a next page', '<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>'],
    ['that does not say whether it is whole', '<ListBucketResult></ListBucketResult>'],
    ['of something else', '<html></html>'],
    ['that is empty', ''],
    [
      'of files that were not asked for',
      '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>two/x</Key></Contents></ListBucketResult>',
    ],
  ])('is not believed a list %s', async (_name, answer) => {
    server.listAnswer = answer
    await expect(server.open().list()).rejects.toThrow(StoreRefusedError)
  })

  test('that replaces files is refused before anything is written', async () => {
    server.fault = () => ({ kind: 'unconditional' })
    await expect(server.open().hold()).rejects.toThrow(/does not keep files from being replaced/)
    expect(server.objects.size).toBe(0)
    server.fault = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 501 } : null)
    await expect(server.open().hold()).rejects.toThrow(StoreRefusedError)
  })

  test('may lose its answer: what it kept counts as put, and what another run put does not', async () => {
    const store = server.open()
    failing('PUT', KEY, (attempt) => (attempt === 1 ? { kind: 'lost' } : null))
    await put(store, MANIFEST, 'manifest', true)
    expect(server.objects.get(KEY)?.toString()).toBe('manifest')
    const other = 'one/manifests/00000002.json'
    failing('PUT', other, (attempt) => {
      if (attempt === 1) server.objects.set(other, Buffer.from('of another run'))
      return attempt === 1 ? { kind: 'reset' } : null
    })
    await expect(put(store, 'manifests/00000002.json', 'of this run')).rejects.toThrow(ArchiveInUseError)
    expect(server.objects.get(other)?.toString()).toBe('of another run')
  })

  test('is held although the answer to its first lock was lost', async () => {
    failing('PUT', 'one/lock', (attempt) => (attempt === 1 ? { kind: 'lost' } : null))
    const held = await server.open().hold()
    await expect(server.open().hold()).rejects.toThrow(ArchiveInUseError)
    await held.release()
  })
})

describe('a lease', () => {
  test('of a run that was killed ends, and a file that nobody wrote is not found', async () => {
    const until = (ms: number): Buffer =>
      Buffer.from(JSON.stringify({ id: 'dead', by: 'process 1', until: Date.now() + ms }))
    server.objects.set('one/lock', until(60_000))
    await expect(server.open().hold()).rejects.toThrow(/process 1/)
    for (const text of [until(-2_000), Buffer.from('?'), Buffer.alloc(5_000, 'x')]) {
      server.objects.set('one/lock', text)
      expect(await server.open().isHeld()).toBe(false)
      await (await server.open().hold()).release()
      expect(server.objects.size).toBe(0)
    }
  })

  test('that another run took over ends the work of the first, and stays', async () => {
    const store = server.open({ leaseMs: 30 })
    const held = await store.hold()
    const other = Buffer.from(JSON.stringify({ id: 'other', by: 'process 2', until: Date.now() + 60_000 }))
    server.objects.set('one/lock', other)
    await expect
      .poll(
        () =>
          store.remove('segments/x').then(
            () => 'removed',
            (error: Error) => error.name,
          ),
        { timeout: 60_000 },
      )
      .toBe('ArchiveInUseError')
    await expect(put(store, MANIFEST, 'manifest', true)).rejects.toThrow(/process 2/)
    await held.release()
    expect([...server.objects]).toEqual([['one/lock', other]])
  })
})

test('a store over TLS is one of a known authority', async () => {
  const tls = makeCertificate({
    ...{ certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') },
    names: 'IP:127.0.0.1',
  })
  const secure = await openScriptedArchive(tls)
  try {
    const store = secure.open({ ca: tls.cert })
    await put(store, MANIFEST, 'manifest', true)
    expect(await textOf(store, MANIFEST)).toBe('manifest')
    await expect(secure.open().read(MANIFEST, 100)).rejects.toThrow(/self-signed certificate/)
  } finally {
    await secure.close()
  }
})

test.each([
  's3://',
  's3://A_B/x',
  's3://ab/x',
  's3://bucket/../x',
  's3://bucket//x',
  's3://bucket/x y',
  's3://bucket/.x',
])('%s is not a place of an archive', (place) => {
  const connection = {
    endpoint: 'http://127.0.0.1:1',
    region: 'x',
    credentials: { accessKeyId: 'k', secretAccessKey: 's' },
  }
  expect(() => openS3Store(place, connection)).toThrow(RangeError)
})
