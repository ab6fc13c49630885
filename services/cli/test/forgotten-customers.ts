/** End customers of an account. Some are erased after a backup: no restore may bring them back, and no file may show them. */
import { scanFiles, until } from '@cupel/testkit'
import { expect } from 'vitest'
import type { Said } from './command-line.js'

/** Values for fields that hold personal data. None of them occurs anywhere else. */
export const MARKERS = {
  account: 'Marker Account GmbH',
  key: 'markerKeyName',
  gone: 'markerReference-4711',
  late: 'markerReference-0042',
  kept: 'markerReference-0815',
  note: 'markerNoteText',
  client: '198.51.100.173',
}

export interface Parts {
  call(path: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }>
  cupel(...args: string[]): Promise<Said>
  /** Id of the account, once it exists. */
  account(): string
  readonly address: string
}

export function forgottenCustomers({ call, cupel, account, address }: Parts) {
  const reports = new Map<string, string>()

  async function screen(reference: string): Promise<void> {
    const { status, json } = await call('/v1/screen', { address, customer_reference: reference })
    expect(status).toBe(200)
    reports.set(reference, String(json['report_id']))
  }

  async function referenceOf(reference: string): Promise<unknown> {
    return (await call(`/v1/reports/${reports.get(reference)!}`)).json['customer_reference']
  }

  async function found(reference: string): Promise<unknown[]> {
    const { json } = await call(`/v1/reports?customer_reference=${reference}`)
    return (json['items'] as { report_id: string }[]).map((item) => item.report_id)
  }

  async function run(...args: string[]): Promise<void> {
    expect(await cupel(...args)).toMatchObject({ error: null, exitCode: 0 })
  }

  return {
    /** Runs before the backup. */
    async fill() {
      await screen(MARKERS.gone)
      await screen(MARKERS.kept)
      const noted = await call(`/v1/reports/${reports.get(MARKERS.gone)!}/notes`, { text: MARKERS.note })
      expect(noted.status).toBe(201)
      await call('/v1/watches', { watches: [{ address, reference: MARKERS.gone }] })
      await until(async () => expect(await found(MARKERS.gone)).toHaveLength(1))
    },

    /** Runs after the backup, as the runbook says. Erases a reference from before the backup and one from after it. */
    async erase() {
      await screen(MARKERS.late)
      for (const reference of [MARKERS.gone, MARKERS.late])
        await run('accounts', 'erase', account(), '--reference', reference, '--reason', 'request 2026-18')
      await run('accounts', 'rotate-personal-data-key')
      await until(async () => expect(await referenceOf(MARKERS.gone)).toBe('erased'))
      // Only erasures in the log can be repeated.
      await until(async () => {
        const { out } = await cupel('audit', 'export', '--account', account())
        expect(out.split('PersonalDataErased')).toHaveLength(3)
      })
    },

    /** Runs after a restore, whatever the backup of the keys brought back. */
    async expectErased() {
      for (const reference of [MARKERS.gone, MARKERS.late]) {
        expect(await referenceOf(reference)).toBe('erased')
        expect(await found(reference)).toEqual([])
      }
      expect(await referenceOf(MARKERS.kept)).toBe(MARKERS.kept)
      await until(async () => expect(await found(MARKERS.kept)).toHaveLength(1))
      const { json } = await call(`/v1/reports/${reports.get(MARKERS.gone)!}/case`)
      expect(JSON.stringify(json)).toContain('"erased"')
      expect(JSON.stringify(json)).not.toContain(MARKERS.note)
    },

    /** Searches the folder of a broker: segments, indexes, and unpacked batches. */
    expectNoneIn(folder: string) {
      // The screened address is not personal data. It shows that the search finds existing text, also in batches.
      const { found: places, unpacked } = scanFiles(folder, [...Object.values(MARKERS), address])
      expect(unpacked).toBeGreaterThan(0)
      expect(places.filter((each) => each.startsWith(address)).length).toBeGreaterThan(0)
      expect(places.filter((each) => !each.startsWith(address))).toEqual([])
    },
  }
}
