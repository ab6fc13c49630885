import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'

/** Bytes that every text encoding changes. */
const PDF = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff, 0xfe, 0x80, 0x0a])
const ID = '9f2c4a1be07d6358'
const JOB_ID = 'job_019aa5c87f0070008000000000000001'

/** The last call about links. */
let asked: { readonly line: string; readonly body: string }
const SHARE = {
  share_id: 'shr_1',
  url: 'https://cupel.example/shared/t',
  expires_at: '2026-11-28T09:00:00.000Z',
}

function answerShares(request: IncomingMessage, response: ServerResponse): void {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    asked = { line: `${request.method} ${request.url}`, body }
    if (request.method === 'POST') response.writeHead(201).end(JSON.stringify(SHARE))
    else response.writeHead(204).end()
  })
}

let server: Server
let commandLine: CommandLine
let folder: string
beforeAll(async () => {
  server = createServer((request, response) => {
    const isKnown =
      [`/v1/reports/${ID}/pdf`, `/v1/bulk/${JOB_ID}/pdf`].includes(request.url ?? '') &&
      request.headers.authorization === 'Bearer cpl_test'
    if (request.url?.startsWith(`/v1/reports/${ID}/share-links`) === true) answerShares(request, response)
    else if (isKnown) response.writeHead(200, { 'content-type': 'application/pdf' }).end(PDF)
    else
      response.writeHead(404).end(JSON.stringify({ code: 'not_found', detail: 'There is no such report.' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  folder = mkdtempSync(join(tmpdir(), 'cupel-report-'))
  commandLine = await openCommandLine({
    CUPEL_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    CUPEL_API_KEY: 'cpl_test',
  })
})
afterAll(async () => {
  await commandLine.close()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('report pdf writes the bytes of the API to the file, and says how many', async () => {
  const file = join(folder, 'report.pdf')
  const { out, error } = await commandLine.cupel('report', 'pdf', ID, '-o', file, '--json')
  expect(error).toBeNull()
  expect(JSON.parse(out)).toEqual({ report_id: ID, file, bytes: PDF.length })
  expect(readFileSync(file)).toEqual(PDF)
})

test('bulk pdf does the same for a job', async () => {
  const file = join(folder, 'job.pdf')
  const { out, error } = await commandLine.cupel('bulk', 'pdf', JOB_ID, '-o', file, '--json')
  expect(error).toBeNull()
  expect(JSON.parse(out)).toEqual({ job_id: JOB_ID, file, bytes: PDF.length })
  expect(readFileSync(file)).toEqual(PDF)
})

test('report pdf gives the reason of the API for a report that is not there, and writes nothing', async () => {
  const file = join(folder, 'nothing.pdf')
  const { error } = await commandLine.cupel('report', 'pdf', '0000000000000000', '-o', file)
  expect(error).toMatchObject({ message: expect.stringContaining('There is no such report.') as string })
  expect(() => readFileSync(file)).toThrow('ENOENT')
})

test('report pdf says which file cannot be written', async () => {
  const file = join(folder, 'no', 'such', 'folder.pdf')
  const { error } = await commandLine.cupel('report', 'pdf', ID, '-o', file)
  expect(error).toMatchObject({ message: `${file} cannot be written.`, exitCode: 1 })
})

test('report share makes a link and shows it, and report unshare ends it', async () => {
  const made = await commandLine.cupel('report', 'share', ID, '--hours', '72', '--label', 'Auditor')
  expect(made.error).toBeNull()
  expect(made.out).toContain(SHARE.url)
  expect(asked.line).toBe(`POST /v1/reports/${ID}/share-links`)
  expect(JSON.parse(asked.body)).toEqual({ expires_in_hours: 72, label: 'Auditor' })
  const json = await commandLine.cupel('report', 'share', ID, '--json')
  expect(JSON.parse(json.out)).toEqual(SHARE)
  expect(JSON.parse(asked.body)).toEqual({})
  expect((await commandLine.cupel('report', 'unshare', ID, 'shr_1')).error).toBeNull()
  expect(asked.line).toBe(`DELETE /v1/reports/${ID}/share-links/shr_1`)
})
