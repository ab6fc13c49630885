/** The witness that transparency-dev publishes cosigns our checkpoints and finds a second history. Its modules accept the cosignatures. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noMetrics, silentLogger } from '@cupel/contracts'
import { verifierKey } from '@cupel/signing'
import { noteSkip, startTestWitness, until } from '@cupel/testkit'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import {
  extendLog,
  logKey,
  parseWitnessKey,
  readCosigning,
  readProof,
  readWitnessSettings,
  startWitnesses,
  verifyReport,
  type RunningWitnesses,
} from '../../src/transparency/index.js'
import {
  accounts,
  backUpRows,
  documentOf,
  openTransparentLog,
  report,
  restoreRows,
  type TransparentLog,
} from './transparent-log.js'

const SOURCE = fileURLToPath(new URL('go-witness', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'cupel-go-witness-'))
const program = join(folder, 'go-witness')
afterAll(() => rmSync(folder, { recursive: true }))

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

function run(command: string, args: readonly string[], input = ''): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: SOURCE, stdio: 'pipe' })
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', (data: Buffer) => (said.stdout += data.toString()))
    child.stderr.on('data', (data: Buffer) => (said.stderr += data.toString()))
    child.once('error', (error) => resolve({ code: null, stdout: '', stderr: String(error) }))
    child.once('close', (code) => resolve({ code, ...said }))
    child.stdin.on('error', () => undefined).end(input)
  })
}

const built = await run('go', ['build', '-mod=readonly', '-o', program, '.'])
const isBuilt = built.code === 0
if (!isBuilt) noteSkip(`the published Go witness cannot be built: ${built.stderr.slice(-300)}`)

interface Named {
  readonly url: string
  readonly name: string
  readonly vkey: string
}

let own: TransparentLog
let origin: string
let key: string
let closers: (() => unknown)[]
beforeEach(async () => {
  own = await openTransparentLog()
  const named = logKey(own.keys.signer.key, await own.installation.log.identity())
  ;[origin, key] = [named.name, verifierKey(named)]
  closers = []
})
afterEach(async () => {
  for (const close of closers.reverse()) await close()
  await own.close()
})

async function goWitness(): Promise<Named> {
  const child = spawn(program, ['serve', origin, key], { stdio: ['pipe', 'pipe', 'ignore'] })
  closers.push(
    () =>
      new Promise((resolve) => {
        child.once('exit', resolve)
        child.stdin.end()
      }),
  )
  const lines = createInterface({ input: child.stdout })
  const line = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve)
    child.once('exit', (code) => reject(new Error(`The witness ended with ${code}`)))
  })
  return JSON.parse(line) as Named
}

function ask(witnesses: readonly Named[]): RunningWitnesses {
  const file = join(own.folder, 'witnesses.json')
  const named = witnesses.map(({ name, url, vkey }) => ({ name, url, vkey }))
  const settings = { quorum: named.length, witnesses: named, allowed_ranges: ['127.0.0.0/8'] }
  writeFileSync(file, JSON.stringify(settings))
  const { log, database } = own.installation
  const running = startWitnesses({
    ...{ settings: readWitnessSettings(file), log, database, keys: own.keys, stores: [] },
    ...{ intervalMs: 20, logger: silentLogger, metrics: noMetrics },
  })
  closers.push(() => running.stop())
  return running
}

const cosigned = async (size: number): Promise<void> =>
  await until(async () => {
    const state = await readCosigning(own.installation.database, await own.installation.log.identity())
    expect(state?.cosigned?.size, JSON.stringify(state)).toBe(size)
  })

test.skipIf(!isBuilt)(
  'it cosigns each longer checkpoint, and its modules open what both witnesses cosigned',
  async () => {
    const [theirs, ours] = [await goWitness(), await startTestWitness({ logs: new Map([[origin, key]]) })]
    closers.push(() => ours.close())
    ask([theirs, ours])
    await own.installation.append(report('00000000000000a1'))
    let size = 1
    for (const more of [0, 1, 2, 250, 7, 300]) {
      await own.installation.append(...accounts(more))
      await own.extend()
      size += more
      await cosigned(size)
    }
    const found = await readProof(own.installation.database, {
      ...{ reportId: '00000000000000a1', document: documentOf('00000000000000a1') },
    })
    if (found.kind !== 'proof') throw new Error(found.kind)
    const witnesses = [theirs, ours].map(({ vkey }) => parseWitnessKey(vkey)!)
    const document = Buffer.from(documentOf('00000000000000a1'))
    const proof = Buffer.from(found.text)
    const proven = await verifyReport(document, proof, own.keys.publicKeys, { witnesses, needed: 2 })
    expect(proven.cosignatures).toHaveLength(2)

    const note = found.text.slice(found.text.indexOf('\n\n') + 2)
    const opened = await run(program, ['open', origin, key, theirs.vkey, ours.vkey], note)
    expect(opened.code, opened.stderr).toBe(0)
    const { signers, ...rest } = JSON.parse(opened.stdout) as { size: number; signers: string[] }
    expect(rest).toEqual({ size })
    expect(signers.sort()).toEqual([origin, ours.name, theirs.name].sort())
    // The same modules refuse a cosignature with one changed bit.
    const line = note.split('\n').find((each) => each.includes(ours.name))!
    const bytes = Buffer.from(line.split(' ')[2]!, 'base64')
    bytes[20]! ^= 1
    const spoilt = note.replace(line.split(' ')[2]!, bytes.toString('base64'))
    expect(await run(program, ['open', origin, key, theirs.vkey, ours.vkey], spoilt)).toMatchObject({
      code: 1,
    })
  },
)

test.skipIf(!isBuilt).each([
  ['shorter', 5],
  ['as long', 6],
  ['longer', 9],
])('it does not cosign a second history: one that is %s than the first', async (_, size) => {
  const theirs = await goWitness()
  await own.installation.append(...accounts(4))
  await own.extend()
  await backUpRows(own)
  await own.installation.append(...accounts(5))
  const first = ask([theirs])
  await own.extend({ maxLeaves: 2 })
  await cosigned(6)
  await first.stop()
  await restoreRows(own)
  await own.installation.database.execute(`UPDATE log.record SET appended_at = appended_at + interval '1 s'`)
  await extendLog({ ...(await own.parts()), stores: [], maxLeaves: size - 4 })
  const again = ask([theirs])
  await until(() => expect(again.error()).toMatch(/saw another history of the transparency log/))
})
