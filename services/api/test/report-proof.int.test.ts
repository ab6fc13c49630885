import { parseLeafHeader, topicOf, type RecordedLeaf, type ReportLeaf } from '@cupel/contracts'
import { eraseAccount } from '@cupel/personal-data'
import { createPdfRenderer } from '@cupel/reports/pdf'
import type { Database } from '@cupel/postgres'
import {
  leafHash,
  parseVerifierKey,
  readSigningKeys,
  treeRoot,
  verifierKey,
  type PublicKey,
} from '@cupel/signing'
import { until } from '@cupel/testkit'
import { verifyReport } from '@cupel/evidence/transparency'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ADDRESS, call, screen, type Reply } from './http-client.js'
import { appendAccounts, entriesOf, tileReader } from './log-work.js'
import { startInstallation, type Installation } from './installation.js'

const screened = { address: ADDRESS, customer_reference: 'case “7”' }
let installation: Installation
let url: string
let key: string
let path: string
let keys: readonly PublicKey[]
const HANG_MS = 600_000
const renderer = createPdfRenderer({ workers: 1, timeoutMs: HANG_MS })
beforeAll(async () => {
  installation = await startInstallation()
  ;({ url } = await installation.api())
  ;({ key } = await installation.key())
  path = `/v1/reports/${String((await screen(url, key, screened)).json()['report_id'])}`
})
afterAll(async () => {
  await renderer.close()
  await installation.stop()
})

const namedLeaf = ({ headers }: Reply): ReportLeaf | null =>
  parseLeafHeader(headers['cupel-leaf'] as string | undefined)
const leafOf = async (at: string): Promise<ReportLeaf | null> =>
  namedLeaf(await call(url, 'GET', at, { key }))
/** On a busy machine the first document may take longer than the API waits. */
const pdfOf = (): Promise<{ readonly bytes: Buffer; readonly tag: string }> =>
  until(async () => {
    const reply = await fetch(`${url}${path}/pdf`, { headers: { authorization: `Bearer ${key}` } })
    expect(reply.status).toBe(200)
    return { bytes: Buffer.from(await reply.arrayBuffer()), tag: reply.headers.get('etag')! }
  })
const rendered = async (leaf: RecordedLeaf | null): Promise<Buffer> =>
  Buffer.from(await renderer.render((await call(url, 'GET', path, { key })).text, leaf))

// The order matters: no signature exists before the second test.
test('before anything is signed proof and checkpoint are unavailable, and the caller is told to come again', async () => {
  for (const at of [`${path}/proof`, '/v1/log/checkpoint']) {
    const reply = await call(url, 'GET', at, { key })
    expect([reply.status, reply.json()['code'], reply.headers['retry-after']]).toEqual([
      503,
      'unavailable',
      '5',
    ])
  }
})

let early: Awaited<ReturnType<typeof pdfOf>>
test('an installation without keys names no leaf in report and PDF', async () => {
  expect(await leafOf(path)).toBeNull()
  early = await pdfOf()
  expect(early.bytes.equals(await rendered(null))).toBe(true)
})

test('the answers of the API prove the report with only public keys, in the log of the checkpoint', async () => {
  const { publicKeys } = readSigningKeys(installation.prove())
  // Parse the keys from text, as an auditor does.
  keys = publicKeys.map((each) => parseVerifierKey(verifierKey(each))!)
  const proof = await until(async () => {
    const reply = await call(url, 'GET', `${path}/proof`, { key })
    expect(reply.status, reply.text).toBe(200)
    return reply
  })
  expect(proof.headers['content-type']).toBe('text/plain; charset=utf-8')
  const report = await call(url, 'GET', path, { key })
  const verified = await verifyReport(Buffer.from(report.text), Buffer.from(proof.text), keys)
  expect([report.json()['customer_reference'], verified.customerReference]).toEqual(['case “7”', 'proven'])
  const now = await call(url, 'GET', '/v1/log/checkpoint', { key })
  expect(now.headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(now.text.split('\n')[0]).toBe(verified.log)
  const other = await call(
    url,
    'GET',
    `/v1/reports/${String((await screen(url, key, screened)).json()['report_id'])}`,
    { key },
  )
  const ofOther = verifyReport(Buffer.from(other.text), Buffer.from(proof.text), keys)
  await expect(ofOther).rejects.toThrow('not one byte')
})

test('report, shared report and PDF name the leaf of the proof, and a longer log changes no byte of the PDF', async () => {
  const [report, proof] = [
    await call(url, 'GET', path, { key }),
    await call(url, 'GET', `${path}/proof`, { key }),
  ]
  const proven = await verifyReport(Buffer.from(report.text), Buffer.from(proof.text), keys)
  const leaf = { log: proven.log, index: proven.index, hash: proven.leafHash }
  expect(await leafOf(path)).toEqual(leaf)
  const shared = await call(url, 'POST', `${path}/share-links`, { key, body: {} })
  const token = String(shared.json()['url']).split('/').at(-1)!
  const opened = await call(url, 'GET', `/v1/shared/${token}`)
  expect(namedLeaf(opened)).toEqual(leaf)
  const pdf = await pdfOf()
  expect(pdf.bytes.equals(await rendered(leaf))).toBe(true)
  expect(pdf.tag).not.toBe(early.tag)
  const sizeNow = async () =>
    Number((await call(url, 'GET', '/v1/log/checkpoint', { key })).text.split('\n')[1])
  await screen(url, key, screened)
  await until(async () => expect(await sizeNow()).toBeGreaterThan(proven.size))
  expect((await pdfOf()).bytes.equals(pdf.bytes)).toBe(true)
  expect((await pdfOf()).tag).toBe(pdf.tag)
})

test('a reader that polls checkpoint and tiles makes no record, and so no leaf', async () => {
  const topic = topicOf('ApiRequestAudited')
  const ends = async (): Promise<number[]> =>
    await Promise.all(
      Array.from({ length: await installation.log.partitionCount(topic) }, (_, partition) =>
        installation.log.endOffset(topic, partition),
      ),
    )
  const before = await ends()
  for (let poll = 0; poll < 5; poll += 1)
    for (const at of ['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1'])
      expect((await call(url, 'GET', `/v1/log/${at}`, { key })).status).toBe(200)
  expect(await ends()).toEqual(before)
  expect((await call(url, 'GET', '/v1/log/tile/5/000', { key })).status).toBe(404)
  expect(await ends()).not.toEqual(before)
})

test('checkpoint and tiles need a key, unless the operator publishes them, and then no calls are counted', async () => {
  const names = ['checkpoint', 'tile/0/000.p/1', 'tile/entries/000.p/1']
  const statuses = async (at: string, count = 1): Promise<ReadonlySet<number>> => {
    const paths = Array.from({ length: count }, () => names).flat()
    const replies = paths.map((name) => call(at, 'GET', `/v1/log/${name}`))
    return new Set((await Promise.all(replies)).map(({ status }) => status))
  }
  expect(await statuses(url)).toEqual(new Set([401]))
  const open = await installation.api({ config: { CUPEL_LOG_IS_PUBLIC: true } })
  expect(await statuses(open.url, 20)).toEqual(new Set([200]))
  expect((await call(open.url, 'GET', `${path}/proof`)).status).toBe(401)
})

test('the proof of a report of another account, of the other environment or of nobody is 404', async () => {
  const strangers = [await installation.key(), await installation.key({ environment: 'test' })]
  for (const { key: stranger } of strangers)
    expect((await call(url, 'GET', `${path}/proof`, { key: stranger })).json()['code']).toBe('not_found')
  const nobodys = await call(url, 'GET', '/v1/reports/0000000000000000/proof', { key })
  expect(nobodys.json()['code']).toBe('not_found')
})

test('the tiles make the tree of the checkpoint, partial ones too, and never change', async () => {
  await appendAccounts(installation, 300)
  const checkpoint = await until(async () => {
    const { text } = await call(url, 'GET', '/v1/log/checkpoint', { key })
    expect(Number(text.split('\n')[1])).toBeGreaterThan(300)
    return text
  })
  const [, sizeText, root] = checkpoint.split('\n')
  const size = Number(sizeText)
  const read = tileReader(url, key)
  const bundles = await Promise.all([read('entries/000'), read(`entries/001.p/${size - 256}`)])
  const hashes = bundles.flatMap(({ bytes }) => entriesOf(bytes)).map((entry) => leafHash(entry))
  expect(hashes).toHaveLength(size)
  expect(treeRoot(hashes).toString('base64')).toBe(root)
  const whole = await read('0/000')
  expect(whole.bytes).toEqual(Buffer.concat(hashes.slice(0, 256)))
  expect((await read('0/000.p/7')).bytes).toEqual(whole.bytes.subarray(0, 7 * 32))
  expect((await read('1/000.p/1')).bytes).toEqual(treeRoot(hashes.slice(0, 256)))
  expect(whole.headers.get('content-type')).toBe('application/octet-stream')
  expect(whole.headers.get('cache-control')).toBe('private, max-age=31536000, immutable')
  const head = await call(url, 'HEAD', '/v1/log/tile/0/000', { key })
  expect([head.status, head.headers['content-length'], head.text]).toEqual([200, String(256 * 32), ''])
})

test.each([
  ...['0/001', '0/002', '2/000', '2/000.p/1', '63/000', '0/x999/x999/x999/x999/x999/999', '1/000'],
  ...['0/000.p/256', '0/000.p/0', '0/000.p/01', '0/x000/000', '0/0', '00/000', '-1/000', 'data/000'],
  ...['', '0', '0/', '0/000/', '0//000', '../checkpoint', '0/000.p/1/x', `0/${'x001/'.repeat(500)}000`],
])('a tile that the tree does not have, or that has no such name, is 404: %s', async (tile) => {
  const reply = await call(url, 'GET', `/v1/log/tile/${tile}`, { key })
  expect([reply.status, reply.json()['code'], reply.headers['cache-control']]).toEqual([
    ...[404, 'not_found', 'no-store'],
  ])
})

test('entries are compressed where the caller takes it, and are the same bytes', async () => {
  const at = `${url}/v1/log/tile/entries/000`
  const read = async (encoding: string) => {
    const answer = await fetch(at, {
      headers: { authorization: `Bearer ${key}`, 'accept-encoding': encoding },
    })
    return { sent: answer.headers.get('content-encoding'), bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const [plain, compressed, refused] = [
    await read('identity'),
    await read('br, gzip'),
    await read('gzip;q=0'),
  ]
  expect([plain.sent, compressed.sent, refused.sent]).toEqual([null, 'gzip', null])
  expect(compressed.bytes.equals(plain.bytes)).toBe(true)
})

test('after an erasure the report says so and its proof holds, and so do the report and the proof that the customer has', async () => {
  const own = await installation.key()
  const body = { address: ADDRESS, customer_reference: 'case 7' }
  const made = await call(url, 'POST', '/v1/screen', { key: own.key, body })
  const at = `/v1/reports/${String(made.json()['report_id'])}`
  const proofNow = () =>
    until(async () => {
      const reply = await call(url, 'GET', `${at}/proof`, { key: own.key })
      expect(reply.status, reply.text).toBe(200)
      return reply.text
    })
  const heldProof = await proofNow()
  const order = { accountId: own.accountId, by: 'test', reason: 'test', plainRecords: 0 }
  await eraseAccount(installation.database, order)
  const erased = await until(async () => {
    const reply = await call(url, 'GET', at, { key: own.key })
    expect(reply.json()['customer_reference']).toBe('erased')
    return reply.text
  })
  const prove = (report: string, proof: string) => verifyReport(Buffer.from(report), Buffer.from(proof), keys)
  const laterProof = await proofNow()
  expect(await prove(erased, laterProof)).toMatchObject({ customerReference: 'erased' })
  expect(await prove(made.text, heldProof)).toMatchObject({ customerReference: 'proven' })
  await expect(prove(made.text, laterProof)).rejects.toThrow('customer reference')
  await expect(prove(erased, heldProof)).rejects.toThrow('customer reference')
  expect(laterProof).not.toContain('case 7')

  // The salt with which a guess of the reference can be tested is left in the proof that the customer has, and nowhere else.
  const { sealed, salt } = sealedIn(heldProof)
  const left = await everyRow(installation.database)
  const isLeft = (text: string) => left.includes(text) || left.includes(Buffer.from(text).toString('hex'))
  expect(isLeft(sealed)).toBe(true)
  expect((['hex', 'base64', 'base64url'] as const).filter((form) => isLeft(salt.toString(form)))).toEqual([])
})

/** The sealed reference of a proof, and its salt. */
function sealedIn(proof: string): { readonly sealed: string; readonly salt: Buffer } {
  const extra = Buffer.from(/^extra (.+)$/m.exec(proof)![1]!, 'base64')
    .subarray(32)
    .toString()
  const [sealed, salt] = extra.split('\n')[1]!.split(' ')
  return { sealed: sealed!, salt: Buffer.from(salt!, 'base64') }
}

async function everyRow(database: Database): Promise<string> {
  const tables = await database.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  const rows: string[] = []
  for (const { name } of tables)
    for (const { row } of await database.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`))
      rows.push(row)
  return rows.join('\n')
}

test('a report whose row was altered is answered from its record, with its leaf, its PDF and its proof', async () => {
  const id = path.slice('/v1/reports/'.length)
  const texts = async () => [
    (await call(url, 'GET', path, { key })).text,
    (await call(url, 'GET', `${path}/proof`, { key })).status,
    await leafOf(path),
    await pdfOf(),
  ]
  const before = await texts()
  const [row] = await installation.database.query<{ document: string }>(
    'SELECT document FROM report_view.report WHERE report_id = $1',
    [id],
  )
  const store = (document: string) =>
    installation.database.execute('UPDATE report_view.report SET document = $2 WHERE report_id = $1', [
      id,
      document,
    ])
  await store(row!.document.replace('"level"', '"former_level":"red","level"'))
  expect(await texts()).toEqual(before)
  expect(before[2]).not.toBeNull()
  await store(row!.document)
})

test('the PDF has the same bytes and ETag before the log has its leaf, and where its row is not that of the report', async () => {
  const id = path.slice('/v1/reports/'.length)
  const named = (await leafOf(path))!
  await installation.database.execute('UPDATE transparency.leaf SET salt = $2 WHERE document_id = $1', [
    id,
    Buffer.alloc(32),
  ])
  const pdf = await pdfOf()
  expect(pdf.bytes.equals(await rendered(named))).toBe(true)
  expect(await leafOf(path)).toBeNull()
  await installation.database.execute(
    'UPDATE transparency.leaf SET document_id = $2 WHERE document_id = $1',
    [id, '0'.repeat(16)],
  )
  expect(await leafOf(path)).toBeNull()
  expect(await pdfOf()).toEqual(pdf)
})

test('a report whose record the log does not give has no PDF, because it would be another one', async () => {
  const id = path.slice('/v1/reports/'.length)
  await installation.database.execute(
    'UPDATE report_view.report SET log_offset = log_offset + 1000 WHERE report_id = $1',
    [id],
  )
  const reply = await call(url, 'GET', `${path}/pdf`, { key })
  expect(reply.status).toBeGreaterThanOrEqual(500)
  expect((await call(url, 'GET', path, { key })).status).toBe(200)
})
