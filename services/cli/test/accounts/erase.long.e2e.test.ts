/** Erases the personal data of an account: no file of the installation or an archive holds any of it, and everything is still proven. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  appendDeadLetter,
  deadLetterGroups,
  deadLetterTopic,
  installationTopics,
  scan,
} from '@cupel/event-log'
import { scanFiles, startS3Server, until, type S3Server } from '@cupel/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkout, cleanUp, cupel, end, start, type Ended, type Started } from '../started.js'
import { withConnections } from '@cupel/command-line/installation'
import { createContext } from '@cupel/command-line'
import type { Ready } from '../../src/start/ready-line.js'

/** Values for every field that holds personal data of an account. None of them occurs anywhere else. */
const MARKERS = {
  account: 'Marker Account GmbH',
  accountReason: 'markerAccountReason',
  key: 'markerKeyName',
  reference: 'markerReference-4711',
  otherReference: 'markerReference-0815',
  watch: 'markerWatchReference',
  note: 'markerNoteText',
  disposition: 'markerDispositionReason',
  share: 'markerShareLabel',
  row: 'markerRowOfNames',
  client: '198.51.100.173',
  visitor: '198.51.100.174',
}
const LAZARUS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const OTHER_ADDRESS = '0x8589427373D6D84E98730D7795D8f6f8731FDA16'
/** A group that lays records aside. */
const LETTERS = 'bulk-coordinator.jobs.v1'
/** The runbook erases with such a reason. */
const REASON = 'request 2026-1'
const RUNBOOK = join(checkout, 'docs/runbooks/erase-personal-data.md')

let folder: string
let home: string
let archive: string
let store: S3Server
let bucket: string
let running: Started[]
let ready: Ready
let account: string
let key: string
/** Reports of the two references. */
let reportId: string
let otherReportId: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-erase-'))
  ;[home, archive] = [join(folder, 'home'), join(folder, 'archive')]
  running = []
  ;[ready, store] = await Promise.all([begin(), startS3Server()])
  bucket = store.newBucket()
})
afterAll(async () => {
  await cleanUp(home, running)
  await store.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function begin(): Promise<Ready> {
  const started = start({ home, environment: { CUPEL_TRUSTED_PROXIES: '127.0.0.0/8,::1/128' } })
  running.push(started)
  return await started.ready
}

async function answered<T>(...args: string[]): Promise<T> {
  const { exitCode, stdout, stderr } = await cupel({ home }, ...args, '--json')
  expect(exitCode, `${args.join(' ')}: ${stderr}`).toBe(0)
  return JSON.parse(stdout) as T
}

async function call(method: string, path: string, body?: object, from = MARKERS.client): Promise<string> {
  const response = await fetch(ready.base_url + path, {
    method,
    headers: {
      'x-forwarded-for': from,
      ...(path.startsWith('/v1/shared/') ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
  return text
}

const reportIdOf = (report: string): string => (JSON.parse(report) as { report_id: string }).report_id

/** Ids of the reports with the reference. */
async function search(reference: string): Promise<string[]> {
  const found = await call('GET', `/v1/reports?customer_reference=${reference}`)
  return (JSON.parse(found) as { items: { report_id: string }[] }).items.map(({ report_id }) => report_id)
}

/** Returns the commands of a section of the runbook, with the account in the place of its example. */
function commandsOf(section: string): string[][] {
  const [, text = ''] = readFileSync(RUNBOOK, 'utf8').split(`\n## ${section}\n`)
  const blocks = [...text.split('\n## ')[0]!.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
  return blocks
    .flatMap((block) => block.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line.startsWith('cupel '))
    .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word!).slice(1))
    .map((words) =>
      words.map((word) =>
        word
          .replace('acc_…', account)
          .replace('customer-4711', MARKERS.reference)
          .replace('/backup/cupel-archive', archive),
      ),
    )
}

test('the account fills every field with personal data, and reads it back as it wrote it', async () => {
  const made = await answered<{ account_id: string }>(
    ...['accounts', 'create', MARKERS.account, '--reason', MARKERS.accountReason],
  )
  account = made.account_id
  const issued = await answered<{ key: string; name: string }>(
    ...['keys', 'create', '--account', account, '--scope', 'read-write', '--plan', 'pro'],
    ...['--name', MARKERS.key, '--allow-ip', '198.51.100.0/24'],
  )
  key = issued.key
  expect(issued.name).toBe(MARKERS.key)
  const report = await call('POST', '/v1/screen', { address: LAZARUS, customer_reference: MARKERS.reference })
  writeFileSync(join(folder, 'held-by-the-customer.json'), report)
  const id = reportIdOf(report)
  reportId = id
  expect(report).toContain(MARKERS.reference)
  const other = { address: OTHER_ADDRESS, customer_reference: MARKERS.otherReference }
  otherReportId = reportIdOf(await call('POST', '/v1/screen', other))
  const watches = [
    { address: LAZARUS, reference: MARKERS.watch },
    { address: OTHER_ADDRESS, reference: MARKERS.reference },
  ]
  await call('POST', '/v1/watches', { watches })
  await call('POST', `/v1/reports/${id}/notes`, { text: MARKERS.note })
  const decision = { disposition: 'escalated', reason: MARKERS.disposition, version: 1 }
  await call('POST', `/v1/reports/${id}/disposition`, decision)
  const { url } = JSON.parse(
    await call('POST', `/v1/reports/${id}/share-links`, { label: MARKERS.share }),
  ) as { url: string }
  const shared = await call('GET', `/v1/shared/${url.split('/').at(-1)!}`, undefined, MARKERS.visitor)
  expect(shared).toBe(report)

  const history = await call('GET', `/v1/reports/${id}/case`)
  expect([history.includes(MARKERS.note), history.includes(MARKERS.disposition)]).toEqual([true, true])
  expect(await call('GET', '/v1/watches')).toContain(MARKERS.watch)
  expect(await call('GET', `/v1/reports/${id}/share-links`)).toContain(MARKERS.share)
  await until(async () => {
    const found = await call('GET', `/v1/reports?customer_reference=${MARKERS.reference}`)
    expect(found).toContain(id)
    expect(await call('GET', `/v1/audit-log?client_address=${MARKERS.client}`)).toContain('/v1/screen')
  })
  const bulk = await call('POST', '/v1/bulk', { addresses: [LAZARUS, MARKERS.row] })
  const results = `/v1/bulk/${(JSON.parse(bulk) as { job_id: string }).job_id}/results`
  await until(async () => expect(await call('GET', results)).toContain(MARKERS.row))
  const proof = await until(() => call('GET', `/v1/reports/${id}/proof`))
  writeFileSync(join(folder, 'held-by-the-customer.proof'), proof)
  const { items } = await answered<{ items: { name: string }[] }>('accounts', 'list')
  expect(items.map(({ name }) => name)).toContain(MARKERS.account)
  const { stdout } = await cupel({ home }, 'audit', 'export', '--account', account)
  for (const marker of ['note', 'share', 'client', 'visitor', 'accountReason'] as const)
    expect(stdout).toContain(MARKERS[marker])
  await layAllAside()
  await answered('support-bundle', '--output', join(folder, 'before.tar.gz'))
  await answered('archive', 'create', archive)
  const secret = join(folder, 's3-secret')
  writeFileSync(secret, store.credentials.secretAccessKey)
  const environment = {
    CUPEL_S3_ENDPOINT: store.endpoint,
    CUPEL_S3_ACCESS_KEY_ID: store.credentials.accessKeyId,
    CUPEL_S3_SECRET_ACCESS_KEY_FILE: secret,
  }
  const copy = ['archive', 'create', `s3://${bucket}/archive`]
  const { exitCode, stderr } = await cupel({ home, environment }, ...copy)
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
})

/** Lays every record aside as a reader does that cannot handle it, and quotes the record in the cause. */
async function layAllAside(): Promise<void> {
  const context = createContext({ ...process.env, CUPEL_HOME: home }, [])
  const letters = new Set(deadLetterGroups.map((group) => deadLetterTopic(group).name))
  const topics = installationTopics().map(({ name }) => name)
  await withConnections(context, async ({ log }) => {
    for await (const record of scan(
      log,
      topics.filter((name) => !letters.has(name)),
    ))
      await appendDeadLetter(log, 'bulk.dead-letter', {
        ...{ group: LETTERS, record, cause: `cannot handle ${record.value?.toString('latin1')}` },
      })
  })
  const { dead_letters: laidAside } = await answered<{ dead_letters: { type: string }[] }>(
    'dead-letters',
    'list',
  )
  const types = new Set(laidAside.map(({ type }) => type))
  for (const type of ['BulkSubmitted', 'ReportGenerated', 'ReportNoteAdded', 'AccountCreated'])
    expect(types).toContain(type)
}

test('while the account is there, no file but those of the customer holds any of it as it is', () => {
  expectNoMarkers()
})

/** Searches the files of the installation, of the archive and of its copy in a store, compressed data included. */
function expectNoMarkers(): void {
  // The screened address is not personal data. It shows that the search finds existing text.
  const scanned = [folder, store.folderOf(bucket)].map((place) =>
    scanFiles(place, [...Object.values(MARKERS), REASON, LAZARUS]),
  )
  for (const { found, unpacked } of scanned) {
    expect(found.filter((each) => each.startsWith(LAZARUS)).length).toBeGreaterThan(0)
    expect(unpacked).toBeGreaterThan(0)
    const held = `in ${join(folder, 'held-by-the-customer.json')}`
    expect(found.filter((each) => !each.startsWith(LAZARUS) && !each.endsWith(held))).toEqual([])
  }
}

test('the runbook erases one end customer, word for word, and the other one stays', async () => {
  const said: string[] = []
  for (const words of commandsOf('Erase one end customer')) {
    const { exitCode, stdout, stderr } = await cupel({ home }, ...words)
    expect(exitCode, `${words.join(' ')}: ${stdout}${stderr}`).toBe(0)
    said.push(stdout)
  }
  const counted = '1 ReportGenerated'
  expect(said).toEqual([
    expect.stringMatching(`would be erased[^]*would be unreadable[^]*${counted}[^]*Watches: 1 would end`),
    expect.stringMatching(`is erased[^]*are unreadable now[^]*${counted}[^]*Watches: 1 end`),
  ])
  expect(said.join()).not.toContain(MARKERS.reference)

  await until(async () => expect(await call('GET', `/v1/reports/${reportId}`)).toContain('"erased"'))
  expect(await search(MARKERS.reference)).toEqual([])
  expect(await search(MARKERS.otherReference)).toEqual([otherReportId])
  const read = await Promise.all(
    ['', '/case', '/share-links'].map((part) => call('GET', `/v1/reports/${reportId}${part}`)),
  )
  for (const marker of ['reference', 'note', 'disposition', 'share'] as const)
    expect(read.join()).not.toContain(MARKERS[marker])
  expect(await call('GET', `/v1/reports/${otherReportId}`)).toContain(MARKERS.otherReference)
  const { items: watches } = JSON.parse(await call('GET', '/v1/watches')) as {
    items: { reference: string; until: string | null }[]
  }
  expect(watches.find(({ reference }) => reference === 'erased')!.until).not.toBeNull()
  expect(watches.find(({ reference }) => reference === MARKERS.watch)!.until).toBeNull()

  const [report, proof] = [join(folder, 'erased.json'), join(folder, 'erased.proof')]
  writeFileSync(report, read[0]!)
  writeFileSync(proof, await call('GET', `/v1/reports/${reportId}/proof`))
  const keys = await publicKeys()
  const verified = await answered<object>('verify', report, proof, '--key', keys)
  expect(verified).toMatchObject({ is_proven: true, customer_reference: 'erased' })
  const { stdout: recomputed } = await cupel({ home }, 'audit', 'recompute')
  expect(recomputed).toContain('1 report has an erased customer reference.')
  const { stdout: whole, exitCode } = await cupel({ home }, 'audit', 'verify')
  expect([exitCode, whole.includes(`one customer reference of ${account}`)]).toEqual([0, true])

  // A reference that is used again is a new customer.
  const again = await call('POST', '/v1/screen', { address: LAZARUS, customer_reference: MARKERS.reference })
  expect(again).toContain(MARKERS.reference)
  await until(async () => expect(await search(MARKERS.reference)).toEqual([reportIdOf(again)]))
  expectNoMarkers()
})

async function publicKeys(): Promise<string> {
  const keys = join(folder, 'keys.txt')
  const { stdout } = await cupel({ home }, 'log', 'signing-keys')
  writeFileSync(keys, stdout)
  return keys
}

test('the runbook erases it, word for word: all is proven, and the commands say erased', async () => {
  const outputs = new Map<string, Ended>()
  for (const words of commandsOf('Erase an account')) {
    const ended = await cupel({ home }, ...words)
    outputs.set(words.slice(0, 2).join(' ') + (words.includes('--dry-run') ? ' --dry-run' : ''), ended)
    expect(ended.exitCode, `${words.join(' ')}: ${ended.stdout}${ended.stderr}`).toBe(0)
  }
  const said = (command: string): string => outputs.get(command)!.stdout
  expect(said('accounts erase --dry-run')).toContain('would be erased')
  expect(said('accounts erase')).toContain('is erased')
  expect(said('accounts erase')).toContain('No record of the account holds personal data as it is.')
  expect(said('audit verify')).toContain(`Erased: the personal data of ${account}`)
  expect(said('audit recompute')).toContain('3 reports have an erased customer reference.')
  expect(said('audit export')).toContain('"client_address":"erased"')
  expect(said('audit export')).toContain('PersonalDataErased')
  for (const marker of Object.values(MARKERS)) expect(said('audit export')).not.toContain(marker)

  const { stdout: letters } = await cupel({ home }, 'dead-letters', 'list', '--json')
  for (const marker of Object.values(MARKERS)) expect(letters).not.toContain(marker)
  await answered('support-bundle', '--output', join(folder, 'after.tar.gz'))
  await answered('archive', 'create', join(folder, 'archive-after'))

  const refused = await fetch(`${ready.base_url}/v1/reports`, { headers: { authorization: `Bearer ${key}` } })
  expect(refused.status).toBe(401)
  const again = await answered<{ is_new: boolean }>('accounts', 'erase', account, '--reason', 'again')
  expect(again.is_new).toBe(false)
  const { items } = await answered<{ items: { account_id: string; name: string }[] }>('accounts', 'list')
  expect(items.find(({ account_id }) => account_id === account)).toMatchObject({ name: 'erased' })
})

test('the archive from before says erased nowhere and shows nothing, and what the customer holds is still proven', async () => {
  const keys = await publicKeys()
  const held = ['held-by-the-customer.json', 'held-by-the-customer.proof'].map((name) => join(folder, name))
  const verified = await answered<{ is_proven: boolean; customer_reference: string }>(
    ...['verify', ...held, '--key', keys],
  )
  expect(verified).toMatchObject({ is_proven: true, customer_reference: 'proven' })
  for (const words of [
    ['archive', 'verify', archive],
    ['audit', 'recompute', '--archive', archive, '--public-keys', keys],
  ]) {
    const { exitCode, stdout: said, stderr } = await cupel({ home }, ...words)
    expect(exitCode, `${words.join(' ')}: ${said}${stderr}`).toBe(0)
  }
})

test('after the end no file of the installation, of an archive or of a support bundle holds any of it', async () => {
  const last = running.pop()!
  await end(last)
  expectNoMarkers()
})
