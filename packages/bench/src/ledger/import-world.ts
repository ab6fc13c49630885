/** Imports the labels and the transfers of a made-up chain by the command line, and measures it. */
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Database } from '@cupel/postgres'
import { usesOf } from '../processes.js'
import type { RunningSystem } from '../system.js'
import { thousands } from '../table.js'
import { labelRows, transferRows, type WorldOptions } from './world.js'

export type Measured = readonly [what: string, measured: string]

export async function importWorld(
  system: RunningSystem,
  database: Database,
  world: WorldOptions,
): Promise<readonly Measured[]> {
  const importOf = async (group: 'labels' | 'ledger', rows: Iterable<string>, ...more: string[]) => {
    const file = join(system.home, `${group}.csv`)
    await pipeline(Readable.from(rows), createWriteStream(file))
    const before = await usesOf(system.pid)
    const { json, processorSeconds } = await system.cupel(group, 'import', file, '--format', 'csv', ...more)
    const postgresMs = cpuOf(await usesOf(system.pid), 'postgres') - cpuOf(before, 'postgres')
    await rm(file)
    return {
      seconds: Number(json['duration_ms']) / 1_000,
      processorSeconds,
      postgresSeconds: postgresMs / 1_000,
    }
  }
  const transfers = world.transfers + (world.ofGiant ?? 0)
  const labels = [...labelRows(world)].length - 1
  const rate = (
    count: number,
    { seconds, processorSeconds, postgresSeconds }: Awaited<ReturnType<typeof importOf>>,
  ) =>
    `${thousands(count / seconds)} a second; CPU for a million: importer ${((1e6 * (processorSeconds ?? NaN)) / count).toFixed(1)} s, Postgres ${((1e6 * postgresSeconds) / count).toFixed(1)} s`
  const ofLabels = rate(labels, await importOf('labels', labelRows(world)))
  const ofTransfers = rate(transfers, await importOf('ledger', transferRows(world), '--chain', 'ETH'))
  const sizes = await database.query<{ name: string; bytes: number }>(
    `SELECT relname AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c
     JOIN pg_namespace n ON n.oid = relnamespace
     WHERE nspname = 'ledger' AND relkind = 'r' AND pg_total_relation_size(c.oid) > 1000000 ORDER BY 2 DESC`,
  )
  return [
    ['import of labels', ofLabels],
    ['import of transfers', ofTransfers],
    [
      'bytes a transfer',
      sizes.map(({ name, bytes }) => `${name} ${Math.round(bytes / transfers)}`).join(', '),
    ],
  ]
}

export const cpuOf = (uses: Awaited<ReturnType<typeof usesOf>>, name: string): number =>
  uses.get(name)?.cpuMs ?? 0
