// Runs an installation in its own folder, on free ports, while a script works with it.
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './setup.mjs'

/**
 * @typedef {{ ready: any, pid: number | undefined, call: (key: string, method: string, path: string, body?: object) => Promise<any>,
 *   issueKey: (...options: string[]) => Promise<string> }} Installation
 */

/**
 * @param {(installation: Installation) => Promise<void>} work
 */
export async function withInstallation(work) {
  const home = mkdtempSync(join(tmpdir(), 'cupel-own-'))
  // The user of the database must be able to pass through it.
  chmodSync(home, 0o711)
  const environment = { ...process.env, CUPEL_HOME: home, CUPEL_PORT: '0' }
  const run = (script, ...args) =>
    spawn(process.execPath, [join(root, 'scripts', script), ...args], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  const service = run('start.mjs', '--json')
  try {
    const ready = JSON.parse(await firstLine(service.stdout))
    const call = (key, method, path, body) => callApi(ready.base_url + path, { key, method, body })
    const { account_id: account } = await call(ready.keys.read_write, 'GET', '/v1/sessions/current')
    /** Issues a further key of the demo account: `--environment test`, `--plan enterprise` and so on. */
    const issueKey = async (...options) => {
      const order = ['--account', account, '--scope', 'read-write', ...options, '--json']
      return JSON.parse(await firstLine(run('cupel.mjs', 'keys', 'create', ...order).stdout)).key
    }
    await work({ ready, pid: service.pid, call, issueKey })
  } finally {
    const ended = new Promise((resolve) => service.once('exit', resolve))
    if (service.exitCode === null && service.kill('SIGTERM')) await ended
    rmSync(home, { recursive: true, force: true })
  }
}

/** @returns {Promise<any>} The parsed answer. Rejects if it is not a success. */
async function callApi(url, { key, method, body }) {
  /** @type {Record<string, string>} */
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, ...json },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return await response.json()
}

function firstLine(stream) {
  return new Promise((resolve, reject) => {
    let text = ''
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
      if (text.includes('\n')) resolve(text.split('\n', 1)[0])
    })
    stream.once('end', () => reject(new Error(`It ended without a line: ${text}`)))
  })
}
