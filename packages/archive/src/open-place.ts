/** The store of an archive: a folder, or `s3://bucket/prefix` in the store of the settings. */
import { isS3Address, s3Connection } from '@cupel/kit/object-store'
import type { Config } from '@cupel/kit/service'
import { openFolderStore } from './folder-store.js'
import { openS3Store } from './s3/s3-store.js'
import type { ArchiveStore } from './store.js'

/** Throws ConfigError if the settings of the store are incomplete, and RangeError for an invalid address. */
export function openPlace(place: string, config: Config, warn: (sentence: string) => void): ArchiveStore {
  return isS3Address(place)
    ? openS3Store(place, s3Connection('An archive in a store', config, warn))
    : openFolderStore(place)
}
