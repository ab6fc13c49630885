/** End customers of an account, of whom some are erased after a backup: what a restore must not bring back, and no file may show. */
import { until } from '@cupel/testkit'
import { expect } from 'vitest'
import type { Said } from './command-line.js'
import { scanFiles } from './raw-scan.js'

/** In fields that hold personal data; none of them occurs anywhere else. */
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
  /** Id of the account, once there is one. */
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
    /** Before the backup. */
    async fill() {
      await screen(MARKERS.gone)
      await screen(MARKERS.kept)
      const noted = await call(`/v1/reports/${reports.get(MARKERS.gone)!}/notes`, { text: MARKERS.note })
      expect(noted.status).toBe(201)
      await call('/v1/watches', { watches: [{ address, reference: MARKERS.gone }] })
      await until(async () => expect(await found(MARKERS.gone)).toHaveLength(1))
    },

    /** After the backup, as the runbook says: one that the backup holds, and one that was first used behind it. */
    async erase() {
      await screen(MARKERS.late)
      for (const reference of [MARKERS.gone, MARKERS.late])
        await run('accounts', 'erase', account(), '--reference', reference, '--reason', 'request 2026-18')
      await run('accounts', 'rotate-personal-data-key')
      await until(async () => expect(await referenceOf(MARKERS.gone)).toBe('erased'))
      // Only what is in the log can be done again.
      await until(async () => {
        const { out } = await cupel('audit', 'export', '--account', account())
        expect(out.split('PersonalDataErased')).toHaveLength(3)
      })
    },

    /** After a restore, whatever the backup of the keys brought back. */
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

    /** The folder of a broker: segments, indexes, and what the batches hold unpacked. */
    expectNoneIn(folder: string) {
      // The screened address is not personal data, and shows that the search finds what is there, also in batches.
      const { found: places, unpacked } = scanFiles(folder, [...Object.values(MARKERS), address])
      expect(unpacked).toBeGreaterThan(0)
      expect(places.filter((each) => each.startsWith(address)).length).toBeGreaterThan(0)
      expect(places.filter((each) => !each.startsWith(address))).toEqual([])
    },
  }
}
