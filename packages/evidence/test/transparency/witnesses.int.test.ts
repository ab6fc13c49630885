import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { noMetrics, silentLogger, type Metrics } from '@cupel/contracts'
import { keyNamed, signNote, verifierKey } from '@cupel/signing'
import {
  signatureLine,
  signedText,
  startTestWitness,
  until,
  type TestWitness,
  type TestWitnessOptions,
} from '@cupel/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  compareTransparency,
  extendLog,
  NO_WITNESSES,
  logKey,
  parseWitnessKey,
  readCheckpoint,
  readCosigning,
  readProof,
  readWitnessSettings,
  storeOfLog,
  startWitnesses,
  verifyReport,
  type RunningWitnesses,
} from '../../src/transparency/index.js'
import { type WitnessesOptions } from '../../src/transparency/witness/run-witnesses.js'
import {
  accounts,
  backUpRows,
  documentOf,
  openTransparentLog,
  report,
  restoreRows,
  type TransparentLog,
} from './transparent-log.js'

let own: TransparentLog
let logs: Map<string, string>
let closers: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  own = await openTransparentLog()
  const key = logKey(own.keys.signer.key, await own.installation.log.identity())
  logs = new Map([[key.name, verifierKey(key)]])
})
afterEach(async () => {
  await Promise.all(closers.map((close) => close()))
  closers = []
  await own.close()
})

async function witness(at: number, more: Partial<TestWitnessOptions> = {}): Promise<TestWitness> {
  const started = await startTestWitness({ name: `witness.example/w${at}`, byte: 0x40 + at, logs, ...more })
  closers.push(() => started.close())
  return started
}

const fileOf = (
  witnesses: readonly { readonly name: string; readonly url: string; readonly vkey: string }[],
  quorum: number,
): string => {
  const file = join(own.folder, 'witnesses.json')
  const named = witnesses.map(({ name, url, vkey }) => ({ name, url, vkey }))
  writeFileSync(file, JSON.stringify({ quorum, witnesses: named, allowed_ranges: ['127.0.0.0/8'] }))
  return file
}

interface Asking extends RunningWitnesses {
  /** Failures by witness and reason. */
  readonly failures: Map<string, number>
}

function ask(
  witnesses: readonly TestWitness[],
  quorum: number,
  more: Partial<WitnessesOptions> = {},
): Asking {
  const { log, database } = own.installation
  const failures = new Map<string, number>()
  const metrics: Metrics = {
    ...noMetrics,
    counter: (name) => ({
      inc(labels, by = 1) {
        if (name !== 'transparency_witness_failures_total') return
        const of = `${labels!['witness']} ${labels!['reason']}`
        failures.set(of, (failures.get(of) ?? 0) + by)
      },
    }),
  }
  const running = startWitnesses({
    ...{ settings: readWitnessSettings(fileOf(witnesses, quorum)), log, database, keys: own.keys },
    ...{ stores: [own.store], intervalMs: 20, logger: silentLogger, metrics, ...more },
  })
  closers.push(() => running.stop())
  return { ...running, failures }
}

const policyOf = (witnesses: readonly TestWitness[], needed: number) => ({
  ...{ witnesses: witnesses.map(({ vkey }) => parseWitnessKey(vkey)!), needed },
})
const ID = '00000000000000a1'
const proof = async (reportId = ID): Promise<string> => {
  const found = await readProof(own.installation.database, { reportId, document: documentOf(reportId) })
  if (found.kind !== 'proof') throw new Error(found.kind)
  return found.text
}
const proven = (text: string, by: readonly TestWitness[], needed: number, reportId = ID) =>
  verifyReport(
    Buffer.from(documentOf(reportId)),
    Buffer.from(text),
    own.keys.publicKeys,
    policyOf(by, needed),
  )
const cosigning = async () =>
  await readCosigning(own.installation.database, await own.installation.log.identity())
const cosigned = async (size: number): Promise<void> =>
  await until(async () => expect((await cosigning())?.cosigned?.size).toBe(size))
const linesOf = (note: string): string[] => note.slice(signedText(note).length + 1).split('\n')

async function compared(by: readonly TestWitness[], needed: number) {
  const { log, codec, database } = own.installation
  const identity = await log.identity()
  const { places } = await own.parts()
  return await compareTransparency({
    ...{
      log,
      codec,
      places,
      database,
      store: storeOfLog(own.store, identity),
    },
    ...{
      verifier: own.keys.verifier,
      accepted: [],
      copies: [],
      checksTimes: true,
      endsEarlier: false,
      maxProblems: 10,
      publishGraceMs: 0,
    },
    witnesses: by.length === 0 ? NO_WITNESSES : policyOf(by, needed),
  })
}

test('witnesses cosign each new checkpoint: it is served, filed and proven with their lines', async () => {
  const [one, two] = [await witness(1), await witness(2)]
  await own.installation.append(...accounts(300), report(ID))
  await own.extend()
  ask([one, two], 2)
  await cosigned(301)
  const note = await readCheckpoint(own.installation.database, await own.installation.log.identity())
  expect(linesOf(note!).map((line) => line.split(' ')[1])).toEqual(
    expect.arrayContaining([...logs.keys(), one.name, two.name]),
  )
  await until(async () => {
    expect((await own.file('checkpoint')).toString()).toBe(note)
    expect((await own.file('checkpoint.cosigned')).toString()).toBe(note)
  })
  const before = Math.floor(Date.now() / 1000)
  const { cosignatures } = await proven(await proof(), [one, two], 2)
  expect(cosignatures.map(({ witness }) => witness)).toEqual([one.name, two.name])
  expect(Math.abs(cosignatures[0]!.at - before)).toBeLessThan(600)

  // Each longer checkpoint comes with a consistency proof from the previous one.
  let size = 301
  for (const more of [1, 2, 250, 7, 300]) {
    await own.installation.append(...accounts(more))
    await own.extend()
    size += more
    await cosigned(size)
  }
  expect(one.calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  await until(async () => {
    for (const name of ['checkpoint', 'checkpoint.cosigned'])
      expect((await own.file(name)).toString().split('\n')[1], name).toBe(String(size))
  })
  expect(await compared([one, two], 2)).toMatchObject({ problemCount: 0, cosigned: { size } })
})

test('a leaf behind the last cosigned checkpoint is proven only by the installation, until enough cosigned', async () => {
  const [one, two] = [await witness(1), await witness(2)]
  await own.installation.append(report(ID), ...accounts(2))
  await own.extend()
  ask([one, two], 2)
  await cosigned(3)
  two.misbehave(() => ({ status: 503, body: '' }))
  await own.installation.append(report('00000000000000a2'), ...accounts(4))
  await own.extend()
  await until(() => expect(one.seen.values().next().value?.size).toBe(8))
  // The earlier report keeps the checkpoint that both cosigned.
  expect(await proven(await proof(), [one, two], 2)).toMatchObject({ size: 3 })
  const late = '00000000000000a2'
  expect(await proven(await proof(late), [], 0, late)).toMatchObject({ size: 8 })
  await until(async () => expect((await proof(late)).includes(one.name)).toBe(true))
  const text = await proof(late)
  await expect(proven(text, [one, two], 2, late)).rejects.toThrow(`Missing: ${two.name}.`)
  expect((await own.file('checkpoint.cosigned')).toString().split('\n')[1]).toBe('3')
  two.misbehave(null)
  await cosigned(8)
  expect(await proven(await proof(late), [one, two], 2, late)).toMatchObject({ size: 8 })
  expect(await proven(await proof(), [one, two], 2)).toMatchObject({ size: 8 })
})

/** The answers of a bad witness, and the counted reason. */
const BAD: readonly (readonly [string, string, Parameters<TestWitness['misbehave']>[0]])[] = [
  ['a status of its own', 'refused', () => ({ status: 500, body: 'x' })],
  ['a redirect', 'refused', () => ({ status: 307, body: '', headers: { location: 'http://127.0.0.1:9/' } })],
  ['an unknown key', 'refused', () => ({ status: 403, body: '' })],
  ['an unknown log', 'refused', () => ({ status: 404, body: '' })],
  ['nothing', 'bad-answer', () => ({ status: 200, body: '' })],
  [
    'a line of a stranger',
    'bad-answer',
    () => ({ status: 200, body: signatureLine('stranger', Buffer.alloc(76)) }),
  ],
  [
    'a wrong cosignature',
    'bad-answer',
    ({ body }) => ({ status: 200, body: body.replace(/.{6}\n$/, 'AAAAA=\n') }),
  ],
  [
    'the cosignature of another text',
    'bad-answer',
    (honest) => ({ ...honest, body: honest.body.replace(/ [^ ]+\n/, ` ${otherLine.split(' ')[2]}`) }),
  ],
  ['endless lines', 'bad-answer', () => ({ status: 200, body: '— x AAAAAAAA\n'.repeat(40_000) })],
  ['an invalid size', 'bad-answer', () => ({ status: 409, body: '012\n' })],
  ['the size that it was told', 'bad-answer', (_, response) => ({ status: 409, body: echoOf(response) })],
  ['that the tree does not extend its own', 'inconsistent', () => ({ status: 422, body: '' })],
  ['that it cosigned a longer one', 'inconsistent', () => ({ status: 409, body: '9007199254740991\n' })],
  ['a broken connection', 'unreachable', (_, response) => void response.destroy()],
  ['half an answer', 'unreachable', (_, response) => void response.writeHead(200).write('— w')],
]
let otherLine = ''
/** 0, and then 1: neither is what it said before. */
const told = new WeakMap<object, number>()
function echoOf(response: { readonly socket: unknown }): string {
  const socket = response.socket as object
  const next = (told.get(socket) ?? -1) + 1
  told.set(socket, next)
  return `${next % 2}\n`
}

test('a bad witness stops nothing: what it answers is dropped, counted and told, and the other one is taken', async () => {
  const [bad, good] = [await witness(1), await witness(2)]
  otherLine = bad.line('other\n', 1)
  // A witness with so many failures is not asked for a minute.
  const endPause = () => own.installation.database.execute('UPDATE transparency.witness SET retry_at = NULL')
  let size = 0
  for (const [name, reason, how] of BAD) {
    bad.misbehave(how)
    await endPause()
    const asking = ask([bad, good], 1, { timeoutMs: 1_000 })
    const before = asking.failures.get(`${bad.name} ${reason}`) ?? 0
    await own.installation.append(...accounts(1))
    await own.extend()
    size += 1
    await cosigned(size)
    await until(() => expect(asking.failures.get(`${bad.name} ${reason}`) ?? 0, name).toBeGreaterThan(before))
    const note = await readCheckpoint(own.installation.database, await own.installation.log.identity())
    expect(note, name).not.toContain(bad.name)
    expect((await cosigning())!.witnesses[0], name).toMatchObject({ name: bad.name, cosignedAgeMs: null })
    expect((await cosigning())!.witnesses[0]!.failures, name).toBeGreaterThan(0)
    await asking.stop()
  }
  // The pause lasts over a restart. After it the witness recovers by itself.
  const { failures } = (await cosigning())!.witnesses[0]!
  ask([bad, good], 1)
  await own.installation.append(...accounts(1))
  await own.extend()
  size += 1
  await cosigned(size)
  expect((await cosigning())!.witnesses[0]).toMatchObject({ failures })
  bad.misbehave(null)
  await endPause()
  await until(async () =>
    expect((await cosigning())!.witnesses[0]).toMatchObject({ size, failure: null, failures: 0 }),
  )
})

test('a witness that was told of more, or forgot, is asked again from the size that it says', async () => {
  const one = await witness(1)
  await own.installation.append(...accounts(5))
  await own.extend()
  ask([one], 1)
  await cosigned(5)
  one.seen.clear()
  await own.installation.append(...accounts(3))
  await own.extend()
  await cosigned(8)
  expect(one.calls.map(({ status, body }) => [body.split('\n')[0], status])).toEqual([
    ['old 0', 200],
    ['old 5', 409],
    ['old 0', 200],
  ])
})

test('several processes ask with one voice, and each checkpoint is cosigned once', async () => {
  const one = await witness(1)
  await own.installation.append(...accounts(5))
  await own.extend()
  const asking = [ask([one], 1), ask([one], 1), ask([one], 1)]
  for (const size of [5, 6, 7]) {
    await cosigned(size)
    await own.installation.append(...accounts(1))
    await own.extend()
    for (const each of asking) each.wake()
  }
  await cosigned(8)
  expect(one.calls.map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

test.each([
  ['shorter', 5],
  ['as long', 6],
  ['longer', 9],
])(
  'a second history is found, and its checkpoints are not cosigned: one that is %s than the first',
  async (_, size) => {
    const one = await witness(1)
    await own.installation.append(...accounts(4))
    await own.extend()
    await backUpRows(own)
    await own.installation.append(...accounts(5))
    const first = ask([one], 1)
    await own.extend({ maxLeaves: 2 })
    await cosigned(6)
    const [seen] = one.seen.values()
    await first.stop()
    // The database is restored, the published files are out of sight, and somebody wrote the records again at another time.
    await restoreRows(own)
    await own.installation.database.execute(
      `UPDATE log.record SET appended_at = appended_at + interval '1 s'`,
    )
    await extendLog({ ...(await own.parts()), stores: [], maxLeaves: size - 4 })
    const again = ask([one], 1, { stores: [] })
    await until(() => expect(again.error()).toMatch(/saw another history of the transparency log/))
    expect(again.failures.get(`${one.name} inconsistent`)).toBeGreaterThan(0)
    expect([...one.seen.values()]).toEqual([seen])
    expect(await cosigning()).toMatchObject({ size, cosigned: null })
    const note = await readCheckpoint(own.installation.database, await own.installation.log.identity())
    expect(note).not.toContain(one.name)
  },
)

test('a comparison fails without enough cosignatures, and where a cosigned checkpoint is of other leaves', async () => {
  const [one, two] = [await witness(1), await witness(2)]
  await own.installation.append(...accounts(20))
  await own.extend()
  const asking = ask([one], 1)
  await cosigned(20)
  await until(async () => expect((await own.file('checkpoint.cosigned')).toString()).toContain(one.name))
  await asking.stop()
  expect(await compared([one, two], 1)).toMatchObject({
    ...{ problemCount: 0, cosigned: { size: 20, cosignatures: [{ witness: one.name }] } },
  })
  expect(await compared([], 0)).toMatchObject({ problemCount: 0, cosigned: null })
  expect(await compared([one, two], 2)).toMatchObject({
    ...{ problemCount: 1, cosigned: null },
    faults: [{ detail: expect.stringContaining(`Missing: ${two.name}.`) as string }],
  })
  // After a longer checkpoint it still counts. A note that the installation signed for other leaves does not.
  await own.installation.append(...accounts(3))
  await own.extend()
  expect(await compared([one], 1)).toMatchObject({ problemCount: 0, leaves: 23, cosigned: { size: 20 } })
  const origin = [...logs.keys()][0]!
  const signer = { ...own.keys.signer, key: keyNamed(origin, own.keys.signer.key) }
  const other = signNote(`${origin}\n20\n${Buffer.alloc(32).toString('base64')}\n`, signer)
  const note = other + one.line(signedText(other), 1_764_072_000)
  await own.installation.database.execute('UPDATE transparency.log SET cosigned = $1', [note])
  expect(await compared([one], 1)).toMatchObject({
    problemCount: 1,
    faults: [
      {
        detail: expect.stringContaining(
          'Database: the leaves do not make the root that it names for 20 leaves',
        ) as string,
      },
    ],
  })
})
