import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { programArguments, sampleReport } from '@cupel/testkit'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { renderReport } from '../../src/pdf/render-report.js'
import { RENDERER_VERSION } from '../../src/pdf/version.js'
import { samples } from './samples.js'

const digestOf = (pdf: Uint8Array): string => createHash('sha256').update(pdf).digest('hex')

/** Each document once, for all tests. */
const rendered = new Map<string, Uint8Array>()
let digests: Readonly<Record<string, string>>
beforeAll(async () => {
  for (const [name, render] of Object.entries(samples)) rendered.set(name, await render())
  digests = Object.fromEntries([...rendered].map(([name, pdf]) => [name, digestOf(pdf)]))
})

describe('one report or job', () => {
  it('gives the same bytes as ever: raise RENDERER_VERSION before this file is renewed with -u', async () => {
    const renders = JSON.stringify({ version: RENDERER_VERSION, digests }, null, 2)
    await expect(`${renders}\n`).toMatchFileSnapshot('renders.json')
  })

  it('gives the same bytes where a letter was a part of another one before', async () => {
    const named = (name: string): string => JSON.stringify(sampleReport({ address: name }))
    const renderer = async (): Promise<typeof renderReport> => {
      vi.resetModules()
      return (await import('../../src/pdf/render-report.js')).renderReport
    }
    const alone = await renderer()
    const once = digestOf(await alone(named('Іван')))
    const after = await renderer()
    await after(named('Їжак Ѐ Ѝ Й Ё'))
    expect(digestOf(await after(named('Іван')))).toBe(once)
  })

  it('gives the same bytes in another process, order, time zone and locale', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      await programArguments(new URL('./render-once.mts', import.meta.url)),
      { env: { ...process.env, TZ: 'Pacific/Chatham', LC_ALL: 'tr_TR.UTF-8', NODE_OPTIONS: '' } },
    )
    const elsewhere = Object.fromEntries(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [string, string]),
    )
    expect(elsewhere).toEqual(digests)
  })
})

it('holds the report itself, as it is stored', async () => {
  const json = JSON.stringify(sampleReport({ customer_reference: 'Fall 7, Zürich' }))
  const pdf = Buffer.from(await renderReport(json))
  expect(pdf.includes(Buffer.from(json))).toBe(true)
  expect(pdf.includes('report.json')).toBe(true)
})

it('holds no script, no form and nothing that a reader would fetch or open by itself', () => {
  for (const [name, bytes] of rendered) {
    const pdf = Buffer.from(bytes).toString('latin1')
    // The attached report and the pages hold text of other people. Names of PDF objects begin a line or follow a bracket.
    for (const object of ['JavaScript', 'Launch', 'AcroForm', 'OpenAction', 'AA', 'SubmitForm', 'GoToR'])
      expect(pdf).not.toMatch(new RegExp(`^/(?:S /)?${object}\\b`, 'm'))
    const links = [...pdf.matchAll(/^\/URI \((.*)\)$/gm)].map(([, link]) => link!)
    // An audit has no links.
    expect(links.length > 0).toBe(!name.startsWith('audit-'))
    for (const link of links) expect(link).toMatch(/^https?:/)
  }
})
