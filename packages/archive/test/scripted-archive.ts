/** An archive in a store that can fail as stores do. */
import { openScriptedStore, type ScriptedStore } from '@cupel/testkit'
import { openS3Store, type ArchiveStore, type S3StoreOptions } from '../src/index.js'

export interface ScriptedArchive extends ScriptedStore {
  open(options?: Partial<S3StoreOptions>): ArchiveStore
}

export async function openScriptedArchive(
  ...tls: Parameters<typeof openScriptedStore>
): Promise<ScriptedArchive> {
  const store = await openScriptedStore(...tls)
  const open = (options: Partial<S3StoreOptions> = {}): ArchiveStore =>
    openS3Store(`s3://${store.bucket}/one`, { ...store.connection, ...options })
  return Object.assign(store, { open })
}
