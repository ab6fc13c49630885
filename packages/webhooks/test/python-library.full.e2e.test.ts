/** The official Python library judges. It is installed once into .cache; where that is impossible, the skip is reported. */
import { spawn } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { noteSkip } from '@cupel/testkit'
import { expect, test } from 'vitest'
import { newWebhookSecret, signWebhook } from '../src/signing/signature.js'

const VERSION = '1.1.0'
const cache = fileURLToPath(new URL(`../../../.cache/standardwebhooks-${VERSION}`, import.meta.url))
const python = join(cache, 'bin', 'python')
const setupFault = await setUp()
if (setupFault !== null) noteSkip(`signatures judged by the Python library: ${setupFault}`)

/** Reads cases from standard input and prints one word for each. */
const JUDGE = `
import json, sys
from standardwebhooks import Webhook
for case in json.load(sys.stdin):
    try:
        Webhook(case["secret"]).verify(case["body"], case["headers"])
        print("accepted")
    except Exception:
        print("refused")
`

test.skipIf(setupFault !== null)(
  'the official Python library accepts what we sign, with either secret of a rotation, and nothing else',
  async () => {
    const [old, fresh, foreign] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()]
    const bodies = [
      '{}',
      '{"text":"grüße, 世界"}',
      JSON.stringify({ results: Array(1_000).fill({ level: 'red' }) }),
    ]
    const cases = bodies.flatMap((body, index) => {
      const signed = { id: `msg_${index}`, timestampSeconds: Math.floor(Date.now() / 1000), body }
      const headers = {
        'webhook-id': signed.id,
        'webhook-timestamp': String(signed.timestampSeconds),
        'webhook-signature': signWebhook(signed, [fresh, old]),
      }
      return [
        { secret: fresh, body, headers, expected: 'accepted' },
        { secret: old, body, headers, expected: 'accepted' },
        { secret: foreign, body, headers, expected: 'refused' },
        { secret: fresh, body: `${body} `, headers, expected: 'refused' },
        { secret: fresh, body, headers: { ...headers, 'webhook-id': 'msg_x' }, expected: 'refused' },
      ]
    })
    const { code, output } = await run(python, ['-c', JUDGE], JSON.stringify(cases))
    expect(code, output).toBe(0)
    expect(output.trim().split('\n')).toEqual(cases.map(({ expected }) => expected))
  },
)

async function setUp(): Promise<string | null> {
  if (existsSync(python)) return null
  const created = await run('python3', ['-m', 'venv', cache])
  if (created.code !== 0) return created.output
  const options = ['--disable-pip-version-check', '--quiet', 'install', `standardwebhooks==${VERSION}`]
  const installed = await run(join(cache, 'bin', 'pip'), options)
  if (installed.code === 0) return null
  rmSync(cache, { recursive: true, force: true })
  return installed.output
}

function run(
  command: string,
  args: readonly string[],
  input = '',
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args)
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.on('error', (error) => resolve({ code: null, output: error.message }))
    child.on('close', (code) => resolve({ code, output }))
    child.stdin.end(input)
  })
}
