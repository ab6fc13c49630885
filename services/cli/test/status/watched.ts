/** An installation whose projector runs, with published files in its home and in an object store. */
import { join } from 'node:path'
import { SIGNING_KEYS_FILE } from '@cupel/evidence/transparency'
import { createMetrics, loadConfig, startHealthServer } from '@cupel/kit/service'
import { startProjector } from '@cupel/projector'
import { createSigningKeys } from '@cupel/signing'
import { openScriptedStore, until, type ScriptedStore } from '@cupel/testkit'
import { expect } from 'vitest'
import { openCommandLine, type CommandLine } from '../command-line.js'
import { inBucket } from '../published-bucket.js'

export interface Watched {
  readonly installation: CommandLine
  readonly store: ScriptedStore
  /** A folder that does not exist yet. */
  readonly archive: string
  readonly projector: { readonly url: string; stop(): Promise<void> }
}

/** The projector is ready, and its first leaves are signed. */
export async function openWatched(): Promise<Watched> {
  const store = await openScriptedStore()
  const installation = await openCommandLine({ CUPEL_CHECKPOINT_INTERVAL_MS: '100', ...inBucket(store) })
  installation.onClose(() => store.close())
  const { deps, environment, folder, database } = installation
  createSigningKeys(join(folder, SIGNING_KEYS_FILE))
  const metrics = createMetrics('projector')
  const running = await startProjector({ ...deps, metrics, config: loadConfig(environment) })
  installation.onClose(() => running.stop())
  const health = await startHealthServer({
    ...{ host: '127.0.0.1', port: 0, metrics },
    checks: () => running.checks(),
  })
  installation.onClose(() => health.close())
  await until(async () => expect((await fetch(`${health.url}/readyz`)).status).toBe(200))
  await until(async () => {
    const [row] = await database.query<{ size: number }>('SELECT size FROM transparency.log')
    expect(row!.size).toBeGreaterThan(0)
  })
  const projector = { url: health.url, stop: () => running.stop() }
  return { installation, store, archive: join(folder, 'archive'), projector }
}
