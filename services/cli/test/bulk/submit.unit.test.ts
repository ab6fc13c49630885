/** `cupel bulk submit` submits what has an address, names the rest, and ends accordingly. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT_FAILED } from '@cupel/command-line'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openAnsweringApi, type AnsweringApi } from '../answering-api.js'

const ETH = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BTC = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
const job = { job_id: 'job_1', status: 'queued' }

let api: AnsweringApi
const folder = mkdtempSync(join(tmpdir(), 'cupel-submit-'))
beforeAll(async () => void (api = await openAnsweringApi()))
afterEach(() => {
  process.exitCode = 0
})
afterAll(() => {
  api.close()
  rmSync(folder, { recursive: true, force: true })
})

const fileOf = (text: string): string => {
  const file = join(folder, 'customers.csv')
  writeFileSync(file, text)
  return file
}

test('a line without an address is named, the others are submitted, and the command ends as failed', async () => {
  const file = fileOf(`Name,Wallet\n#1,${ETH}\n#2\n#3,${BTC}\n`)
  const said = await api.run(job, 'bulk', 'submit', file, '--json')
  expect(said).toContain('no address and are left out: 3.')
  expect(api.calls[0]!.body).toEqual({ items: [{ address: ETH }, { address: BTC }] })
  expect(process.exitCode).toBe(EXIT_FAILED)
})

test('a whole file ends well, without a word of lines', async () => {
  const said = await api.run(job, 'bulk', 'submit', fileOf(`Name,Wallet\n#1,${ETH}\n`), '--json')
  expect(said).not.toContain('left out')
  expect(process.exitCode ?? 0).toBe(0)
})
