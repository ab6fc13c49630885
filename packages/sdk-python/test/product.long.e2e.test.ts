/**
 * Runs the wheel against a running product, started as a user starts it. Both clients screen, wait for a job and verify its webhook, and
 * pass the cases of a running product. The snippets of the guide and the examples work as described.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, removeHome, startInstallation, type Installation } from '@cupel/system-tests'
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuedKeys } from '../../sdk-typescript/test/product-keys.js'
import {
  addTools,
  buildPackage,
  cleanEnvironment,
  done,
  findPythons,
  guideSnippets,
  oldestAndNewest,
  packageFolder,
  setUpTools,
  type Environment,
} from './python.js'

const pythons = await findPythons()
const versions = drawnWithin(
  { name: 'the Python SDK on the product, versions of Python', minimum: 1 },
  oldestAndNewest(pythons),
)
const [python] = pythons
const set = python === undefined ? { missing: 'there is no Python 3.10 to 3.14' } : await setUpTools(python)
const missing = 'missing' in set ? set.missing : undefined
if (missing !== undefined) noteSkip(`the Python SDK on a running product: ${missing}`)

const snippets = guideSnippets()
/** The output of each snippet, in order. */
const outputs = [
  /red False/,
  /^reject \['?/m,
  /\['red', /,
  /a bad address:/,
  /completed_with_errors/,
  /red .* missing/s,
  /^$/,
  /GET .* 200 /,
]
const magic = (end: string): string => `0xc0be1${end.padStart(35, '0')}`

describe.skipIf(missing !== undefined)('the Python SDK on a running product', () => {
  const home = createHome()
  let folder: string
  let installation: Installation
  let environment: Environment
  let wheel: string
  let keys: Record<string, string>

  beforeAll(async () => {
    const tools = 'tools' in set ? set.tools : ''
    folder = mkdtempSync(join(tmpdir(), 'cupel-python-product-'))
    await buildPackage(python!, tools, join(folder, 'built'))
    wheel = join(
      folder,
      'built',
      readdirSync(join(folder, 'built')).find((name) => name.endsWith('.whl'))!,
    )
    const started = startInstallation({ home, environment: { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' } })
    ;[installation, environment] = await Promise.all([started, cleanEnvironment(python!, wheel)])
    await addTools(environment, tools)
    keys = await issuedKeys(home)
  })
  afterAll(async () => {
    environment?.remove()
    await installation?.stop()
    removeHome(home)
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  })

  const startIn = ({ python: own }: Environment, key: string, ...args: string[]): Promise<string> =>
    done(own, args, {
      cwd: folder,
      env: { CUPEL_API_KEY: keys[key]!, CUPEL_BASE_URL: installation.ready.base_url },
    })
  const start = (key: string, ...args: string[]): Promise<string> => startIn(environment, key, ...args)
  const example = (name: string): string => join(packageFolder, '../../examples/python', name)

  test.each(versions)(
    'on Python $version both clients screen, wait for a job, verify its webhook, and pass the cases of a running product',
    async (one) => {
      const clean = await cleanEnvironment(one, wheel)
      try {
        const input = join(folder, `keys-${one.version}.json`)
        writeFileSync(input, JSON.stringify({ keys }))
        const main = join(packageFolder, 'test/python/product_main.py')
        const output = await startIn(clean, 'live', main, input)
        const steps = {
          level: 'red',
          status: 'completed_with_errors',
          told: true,
          forged: 'WebhookVerificationError',
        }
        const said = JSON.parse(output.trim().split('\n').at(-1)!) as { ran: number }
        expect(said).toEqual({ steps: [steps, steps], ran: said.ran, faults: [] })
        expect(said.ran).toBeGreaterThan(20)
      } finally {
        clean.remove()
      }
    },
  )

  test('the guide has as many snippets as are checked here', () =>
    expect(snippets).toHaveLength(outputs.length))

  test.each(snippets.map((code, index) => ({ code, index })))(
    'snippet $index of the guide does what it says',
    async ({ code, index }) => {
      const path = join(folder, `snippet_${index}.py`)
      writeFileSync(path, code)
      const output = await start('live', path)
      expect(output).toMatch(outputs[index]!)
      expect(output).not.toContain(keys['live'])
    },
  )

  test('python -m cupel screens an address, and its exit code says what went wrong', async () => {
    const address = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
    expect(await start('live', '-m', 'cupel', 'screen', address)).toMatch(/^RED {2}score \d/)
    const json = JSON.parse(await start('live', '-m', 'cupel', 'screen', address, '--json')) as object
    expect(json).toMatchObject({ address, risk: { level: 'red' } })
    await expect(start('none', '-m', 'cupel', 'screen', address)).rejects.toThrow(
      /exit code 1:\n.*CUPEL_API_KEY/,
    )
  })

  test.each([
    { sender: magic('1'), decision: 'credit' },
    { sender: magic('2'), decision: 'hold' },
    { sender: magic('4'), decision: 'reject' },
    { sender: 'nonsense', decision: 'hold' },
  ])('a deposit from $sender is a $decision', async ({ sender, decision }) => {
    expect(JSON.parse(await start('test', example('deposit_check.py'), sender))).toMatchObject({ decision })
  })

  test('a CSV is screened in batches, goes on after a stop in the middle of a batch, and writes each address once', async () => {
    const addresses = Array.from({ length: 1_100 }, (_, index) => magic((index + 16).toString(16)))
    const [input, output] = [join(folder, 'addresses.csv'), join(folder, 'results.ndjson')]
    writeFileSync(input, `address,name\n${addresses.map((address) => `${address},x\n`).join('')}`)
    await start('test', example('screen_csv.py'), input, output)
    const whole = readFileSync(output, 'utf8')
    const lines = whole
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { address: string })
    expect(lines.map(({ address }) => address)).toEqual(addresses)
    // The same state as after a kill during the write of the second batch.
    const progress = JSON.parse(readFileSync(`${output}.progress`, 'utf8')) as { file: string }
    const firstBatch = Buffer.byteLength(whole.split('\n').slice(0, 1_000).join('\n')) + 1
    writeFileSync(`${output}.progress`, JSON.stringify({ ...progress, batches: 1, bytes: firstBatch }))
    writeFileSync(output, whole.slice(0, firstBatch + 77))
    await start('test', example('screen_csv.py'), input, output)
    // The reports are the same, because the second job is that of the first run.
    expect(readFileSync(output, 'utf8')).toBe(whole)
  })

  test('a table gets its levels, and what is not green waits for a person', async () => {
    const input = join(folder, 'deposits.csv')
    writeFileSync(input, `id,sender\n1,${magic('1')}\n2,${magic('4')}\n3,\n4,nonsense\n`)
    const output = await start('test', example('screen_dataframe.py'), input, 'sender')
    expect(
      output
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[0]),
    ).toEqual(['2', '3', '4'])
  })
})
