/** What an archive holds up to its last manifest, beside the files of a run that is at work. */
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
  /** Of manifests. */
  readonly faults: readonly ArchiveFault[]
  /** Files that no manifest names, and that no run at work may have written. */
  readonly unnamed: readonly string[]
  /** Files of a run that is at work. The next manifest will name them. */
  readonly pending: readonly string[]
}

/** Files behind the last manifest are told apart only while a writer holds the archive: without one they may show that manifests are gone. */
export async function readArchiveFiles(store: ArchiveStore, verifier: Verifier): Promise<ArchiveFiles> {
  for (let before: number | null = null; ;) {
    // First: a writer that ends meanwhile was at work when the files were looked at.
    const isHeld = await store.isHeld()
    const { contents, faults } = await readManifests(store, verifier)
    const found = faults.length > 0 ? [] : await unnamedFiles(store, contents)
    const pending = isHeld ? found.filter((path) => isBehind(path, contents)) : []
    const unnamed = found.filter((path) => !pending.includes(path))
    // Manifests may have been put between the two looks: the same number twice says that none was.
    if ((faults.length === 0 && unnamed.length === 0) || contents.number === before)
      return { contents, faults, unnamed, pending }
    before = contents.number
  }
}

/** Whether the run that follows the last manifest writes a file of this name. */
function isBehind(path: string, contents: ArchiveContents): boolean {
  if (!isOwnFile(path)) return false
  const file = path.replace(/\.draft$/, '')
  if (file.startsWith(`${MANIFESTS}/`)) return file === manifestFile(contents.number + 1)
  const [topic, partition, first] = file.slice(SEGMENTS.length + 1).split('/')
  return Number.parseInt(first!, 10) >= (endOf(contents, topic!, Number(partition)) ?? 0)
}
