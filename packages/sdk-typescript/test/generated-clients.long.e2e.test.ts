/** Generators of six kinds make clients of the description that screen an address, read its report, and fetch its PDF as it is. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHome, removeHome, startInstallation, type Installation } from '@cupel/system-tests'
import { drawnWithin, noteSkip } from '@cupel/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issuedKeys } from './product-keys.js'
import { done, generators, type Generator } from './generated-clients.js'

/** The sandbox judges it orange. */
const ADDRESS = '0xc0be100000000000000000000000000000000003'
const MAKE_TIMEOUT_MS = 900_000

const drawn = drawnWithin({ name: 'generators of clients', minimum: 2 }, generators)
const found = await Promise.all(drawn.map(async (one) => ({ ...one, tools: await toolsOf(one) })))

async function toolsOf({ name, tools }: Generator): Promise<string | null> {
  try {
    return await tools()
  } catch (error) {
    noteSkip(`a client by ${name}: ${(error as Error).message.slice(0, 300)}`)
    return null
  }
}

const home = createHome()
let folder: string
let installation: Installation
let environment: Record<string, string>
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cupel-generated-'))
  installation = await startInstallation({ home })
  const { test: key } = await issuedKeys(home)
  environment = { CUPEL_BASE_URL: installation.ready.base_url, CUPEL_API_KEY: key!, CUPEL_ADDRESS: ADDRESS }
})
afterAll(async () => {
  await installation?.stop()
  removeHome(home)
  rmSync(folder, { recursive: true, force: true })
})

describe.each(found)('$name', ({ make, tools }) => {
  test.skipIf(tools === null)(
    'screens, reads the report, and gets the PDF byte for byte',
    async () => {
      const own = mkdtempSync(join(folder, 'client-'))
      const { command, args } = await make(tools!, own)
      const env = { ...environment, CUPEL_PDF: join(own, 'report.pdf') }
      expect((await done(command, args, { cwd: own, env })).trim()).toBe('orange')
      const pdf = readFileSync(env.CUPEL_PDF)
      expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
      const id = /"report_id":"([0-9a-f]{16})"/.exec(pdf.toString('latin1'))![1]
      const plain = join(own, 'curl.pdf')
      const bearer = `Authorization: Bearer ${environment['CUPEL_API_KEY']}`
      const url = `${environment['CUPEL_BASE_URL']}/v1/reports/${id}/pdf`
      await done('curl', ['--silent', '--show-error', '--fail', '--header', bearer, '--output', plain, url])
      expect(pdf.equals(readFileSync(plain))).toBe(true)
    },
    MAKE_TIMEOUT_MS,
  )
})
