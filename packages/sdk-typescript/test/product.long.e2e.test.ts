/**
 * Runs the packed SDK against a running product, started as a user starts it. On every runtime it screens, waits for a job, verifies the
 * webhook, and passes the cases of a running product. The snippets of the guide and the examples work as described.
 */
import { spawn } from 'node:child_process'
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { productCases } from '@cupel/sdk-conformance'
import { createHome, removeHome, startInstallation, type Installation } from '@cupel/system-tests'
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { webhooks } from '../src/index.js'
import { snippets, writeSnippet } from './guide.js'
import { done, packageFolder, projectWithSdk, runtimesWith, setUpTools } from './packed.js'
import { issuedKeys } from './product-keys.js'

const tools = await setUpTools()
const missing = 'missing' in tools ? tools.missing : undefined
if (missing !== undefined) noteSkip(`the SDK on other runtimes and compilers: ${missing}`)
const runtimes = runtimesWith('modules' in tools ? tools.modules : null)

const home = createHome()
let installation: Installation
let project: Awaited<ReturnType<typeof projectWithSdk>>
let receiver: Awaited<ReturnType<typeof startReceiver>>
let keys: Record<string, string>

beforeAll(async () => {
  receiver = await startReceiver()
  const started = startInstallation({ home, environment: { CUPEL_WEBHOOK_ALLOW: '127.0.0.0/8' } })
  ;[installation, project] = await Promise.all([started, projectWithSdk()])
  keys = await issuedKeys(home)
  await bundled('product-main')
})
afterAll(async () => {
  project?.remove()
  await installation?.stop()
  await receiver?.close()
  removeHome(home)
})

const environment = (key: string): Record<string, string> => ({
  CUPEL_API_KEY: keys[key]!,
  CUPEL_BASE_URL: installation.ready.base_url,
})

/** `npm test` draws one: the package's own test runs two of them against recorded answers. */
const drawn = drawnWithin({ name: 'runtimes with a running product', minimum: 1 }, Object.entries(runtimes))

describe.each(drawn)('%s', (runtime, [command, ...args]) => {
  test('screens, waits for a job, verifies its webhook, and passes the cases of a running product', async () => {
    const cases = productCases()
    const name = runtime.replaceAll(' ', '-').toLowerCase()
    const input = join(project.folder, `product-${name}.json`)
    const product = { baseUrl: installation.ready.base_url, keys, receiver: receiver.url }
    writeFileSync(input, JSON.stringify({ product, cases, name }))
    const main = join(project.folder, 'product-main.mjs')
    const output = await done(command!, [...args, main, input], {
      cwd: project.folder,
      env: environment('live'),
    })
    expect(JSON.parse(output.trim().split('\n').at(-1)!)).toEqual({
      level: 'red',
      status: 'completed_with_errors',
      told: 'bulk.completed',
      forged: 'WebhookVerificationError',
      ran: cases.length,
      faults: [],
    })
  })
})

const outputs = [
  /red false/,
  /^reject .*counterparty_red/s,
  /a bad address:/,
  /completed_with_errors/,
  /^$/,
  /GET .* 200 /,
]

test('the guide has as many snippets as are checked here', () =>
  expect(snippets()).toHaveLength(outputs.length))

test.each(snippets().map((code, index) => ({ code, index })))(
  'snippet $index of the guide does what it says',
  async ({ code, index }) => {
    const path = writeSnippet(project.folder, index, code)
    const output = await done(process.execPath, [path], { cwd: project.folder, env: environment('live') })
    expect(output).toMatch(outputs[index]!)
    expect(output).not.toContain(keys['live'])
  },
)

describe('the examples', () => {
  const example = (name: string): string => join(project.folder, 'examples', name)
  const start = (name: string, ...args: string[]): Promise<string> =>
    done(process.execPath, [example(name), ...args], { cwd: project.folder, env: environment('test') })
  const magic = (end: string): string => `0xc0be1${end.padStart(35, '0')}`

  beforeAll(() => {
    cpSync(join(packageFolder, '../../examples/typescript'), join(project.folder, 'examples'), {
      recursive: true,
    })
    if (!('modules' in tools)) return
    for (const name of ['express', 'fastify'])
      symlinkSync(join(tools.modules, name), join(project.folder, 'node_modules', name))
  })

  test.each([
    { sender: magic('1'), decision: 'credit' },
    { sender: magic('2'), decision: 'hold' },
    { sender: magic('3'), decision: 'hold' },
    { sender: magic('4'), decision: 'reject' },
    { sender: magic('e4221'), decision: 'hold' },
    { sender: 'nonsense', decision: 'hold' },
  ])('a deposit from $sender is a $decision', async ({ sender, decision }) => {
    expect(JSON.parse(await start('deposit-check.mjs', sender))).toMatchObject({ decision })
  })

  test('a CSV is screened in batches, goes on after a stop in the middle of a batch, and writes each address once', async () => {
    const addresses = Array.from({ length: 2_100 }, (_, index) => magic((index + 16).toString(16)))
    const [input, output] = [join(project.folder, 'addresses.csv'), join(project.folder, 'results.ndjson')]
    writeFileSync(input, `address,name\n${addresses.map((address) => `${address},x\n`).join('')}`)
    await start('screen-csv.mjs', input, output)
    const whole = readFileSync(output, 'utf8')
    const lines = whole
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { address: string; status: string })
    expect(lines.map(({ address }) => address)).toEqual(addresses)
    expect(new Set(lines.map(({ status }) => status))).toEqual(new Set(['completed']))
    // The same state as after a kill during the write of the second batch.
    const progress = JSON.parse(readFileSync(`${output}.progress`, 'utf8')) as { file: string }
    const firstBatch = Buffer.byteLength(whole.split('\n').slice(0, 1_000).join('\n')) + 1
    writeFileSync(`${output}.progress`, JSON.stringify({ ...progress, batches: 1, bytes: firstBatch }))
    writeFileSync(output, whole.slice(0, firstBatch + 77))
    await start('screen-csv.mjs', input, output)
    // The reports are the same, because the second and third jobs are those of the first run.
    expect(readFileSync(output, 'utf8')).toBe(whole)
  }, 300_000)

  const secret = `whsec_${Buffer.from('a secret for the examples').toString('base64')}`
  const body = JSON.stringify({ type: 'bulk.completed', data: { job_id: 'job_1', status: 'completed' } })
  const signed = () =>
    webhooks.sign(body, secret, { id: 'msg_1', timestampSeconds: Math.floor(Date.now() / 1_000) })

  test.skipIf(missing !== undefined).each(['express-receiver.mjs', 'fastify-receiver.mjs'])(
    '%s takes what is signed and refuses the rest',
    async (name) => {
      const child = spawn(process.execPath, [example(name)], {
        cwd: project.folder,
        env: { ...process.env, PORT: '0', CUPEL_WEBHOOK_SECRET: secret },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      try {
        const port = /(\d+)$/.exec(String((await said.next()).value))![1]
        const send = async (text: string): Promise<number> => {
          const headers = { 'content-type': 'application/json', ...(await signed()) }
          return (await fetch(`http://127.0.0.1:${port}/cupel`, { method: 'POST', body: text, headers }))
            .status
        }
        expect([await send(body), await send(body), await send(`${body} `)]).toEqual([204, 204, 400])
        expect((await said.next()).value).toBe('job_1 is completed')
      } finally {
        child.kill()
      }
    },
  )

  test('next-route.mjs takes what is signed and refuses the rest', async () => {
    const main = join(project.folder, 'next-main.mjs')
    const headers = JSON.stringify(await signed())
    const request = (text: string): string =>
      `(await POST(new Request('http://x/', { method: 'POST', headers: ${headers}, body: ${JSON.stringify(text)} }))).status`
    writeFileSync(
      main,
      `import { POST } from './examples/next-route.mjs'; console.log(${request(body)}, ${request(`${body} `)})`,
    )
    const env = { CUPEL_WEBHOOK_SECRET: secret }
    expect(await done(process.execPath, [main], { cwd: project.folder, env })).toMatch(/204 400/)
  })
})

/** One test file of the packed project. */
async function bundled(name: string): Promise<void> {
  const entryPoints = [join(packageFolder, `test/${name}.ts`)]
  const outfile = join(project.folder, `${name}.mjs`)
  await build({
    entryPoints,
    outfile,
    external: ['@cupel/sdk', 'node:*'],
    bundle: true,
    format: 'esm',
    target: 'es2022',
  })
}

/** Keeps the first message of each path, except test messages. `GET /received/PATH` waits for it and returns it. */
async function startReceiver() {
  const messages = new Map<string, { body: string; headers: IncomingMessage['headers'] }>()
  const waiting = new Map<string, ServerResponse>()
  const tell = (path: string): void => {
    const [message, response] = [messages.get(path), waiting.get(path)]
    if (message !== undefined && response !== undefined) response.end(JSON.stringify(message))
  }
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url!.split('/').at(-1)!
      if (request.method === 'GET') waiting.set(path, response)
      else {
        const body = Buffer.concat(chunks).toString()
        if (!messages.has(path) && !body.includes('"type":"endpoint.test"'))
          messages.set(path, { body, headers: request.headers })
        response.writeHead(204).end()
      }
      tell(path)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
