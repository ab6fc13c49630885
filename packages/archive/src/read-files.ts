/** The contents of an archive up to its last manifest, apart from the files of a running writer. */
import type { Verifier } from '@cupel/signing'
import { manifestFile, MANIFESTS, SEGMENTS } from './format/manifest.js'
import {
  endOf,
  isOwnFile,
  readManifests,
  unnamedFiles,
  type ArchiveContents,
  type ArchiveFault,
} from './read-archive.js'
import type { ArchiveStore } from './store.js'

export interface ArchiveFiles {
  readonly contents: ArchiveContents
  /** Faults of manifests. */
  readonly faults: readonly ArchiveFault[]
  /** Files that no manifest names, and that no running writer can have written. */
  readonly unnamed: readonly string[]
  /** Files of a running writer. The next manifest will name them. */
  readonly pending: readonly string[]
}

/**
 * Only while a writer holds the archive, files behind the last manifest count as pending. Without a writer they may show that manifests are
 * missing.
 */
export async function readArchiveFiles(store: ArchiveStore, verifier: Verifier): Promise<ArchiveFiles> {
  for (let before: number | null = null; ;) {
    // This is asked first: a writer that ends meanwhile was still running when the files were listed.
    const isHeld = await store.isHeld()
    const { contents, faults } = await readManifests(store, verifier)
    const found = faults.length > 0 ? [] : await unnamedFiles(store, contents)
    const pending = isHeld ? found.filter((path) => isBehind(path, contents)) : []
    const unnamed = found.filter((path) => !pending.includes(path))
    // A writer may have stored manifests between the two reads. If both reads give the same number, it stored none.
    if ((faults.length === 0 && unnamed.length === 0) || contents.number === before)
      return { contents, faults, unnamed, pending }
    before = contents.number
  }
}

/** Whether the run after the last manifest writes a file of this name. */
function isBehind(path: string, contents: ArchiveContents): boolean {
  if (!isOwnFile(path)) return false
  const file = path.replace(/\.draft$/, '')
  if (file.startsWith(`${MANIFESTS}/`)) return file === manifestFile(contents.number + 1)
  const [topic, partition, first] = file.slice(SEGMENTS.length + 1).split('/')
  return Number.parseInt(first!, 10) >= (endOf(contents, topic!, Number(partition)) ?? 0)
}
