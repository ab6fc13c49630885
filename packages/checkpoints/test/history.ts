/** A log with checkpoints, and helpers that change both. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { topicSpecs } from '@cupel/contracts'
import { type EventLog, placesOf } from '@cupel/event-log'
import type { Database } from '@cupel/postgres'
import { createSigningKeys, readSigningKeys, type SigningKeys } from '@cupel/signing'
import { openTestInstallation, type TestInstallation } from '@cupel/testkit/installation'
import {
  checkpointFile,
  checkpointsMigrations,
  compareLog,
  makeCheckpoint,
  openHistory,
  requireSameEnds,
  type LogComparison,
  type Made,
} from '../src/index.js'

export const TOPIC = 'access.request.events.v1'
export const topics = topicSpecs.filter(({ name }) => name === TOPIC)

export interface CheckpointedLog {
  readonly installation: TestInstallation
  readonly log: EventLog
  readonly database: Database
  readonly keys: SigningKeys
  readonly keyFile: string
  readonly folder: string
  readonly file: () => Promise<string>
  append(count: number, partition?: number): Promise<void>
  checkpoint(folders?: readonly string[]): Promise<Made | 'nothing' | 'overtaken'>
  compare(): Promise<LogComparison>
  close(): Promise<void>
}

let records = 0

export async function openCheckpointedLog(
  openLog?: (database: Database) => EventLog,
): Promise<CheckpointedLog> {
  const migrations = [checkpointsMigrations]
  const installation = await openTestInstallation({
    migrations,
    topics,
    ...(openLog === undefined ? {} : { openLog }),
  })
  const { log, database } = installation
  const folder = join(installation.folder, 'checkpoints')
  const keyFile = join(installation.folder, 'signing-keys.json')
  mkdirSync(folder)
  createSigningKeys(keyFile)
  const keys = readSigningKeys(keyFile)
  return {
    ...{ installation, log, database, keys, keyFile, folder },
    file: async () => checkpointFile(folder, await log.identity()),
    async append(count, partition = 0) {
      const made = Array.from({ length: count }, () => {
        records += 1
        const headers = { ce_id: `event ${records}`, ce_time: '2026-11-23T02:00:00.000Z', ce_type: 'Test' }
        return {
          topic: TOPIC,
          partition,
          key: `key ${records}`,
          value: Buffer.from(`value ${records}`),
          headers,
        }
      })
      await log.append('test', made)
    },
    async checkpoint(folders = [folder]) {
      const history = await openHistory({ log, database, folders, verifier: keys.verifier })
      await requireSameEnds(log, history)
      return await makeCheckpoint(history, {
        log,
        database,
        signer: keys.signer,
        places: await placesOf(log, topics),
      })
    },
    compare: () => compareLog({ log, database, folder, verifier: keys.verifier }),
    close: () => installation.close(),
  }
}

/** All faults and differences in one list. */
export function wrongs({ faults, partitions }: LogComparison): unknown[] {
  const differences = partitions.flatMap(({ place, differences }) =>
    differences.map(({ kind, from, to }) => ({ kind, partition: place.partition, from, to })),
  )
  return [...faults, ...differences]
}
