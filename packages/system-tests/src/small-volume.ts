/** A file system of a fixed size in memory, which a test can fill. Only root may mount one. */
import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallVolume {
  readonly folder: string
  readonly freeBytes: () => number
  /** Takes all free space. */
  fill(): void
  /** Releases the space that `fill` took. */
  makeRoom(): void
  unmount(): void
}

const CHUNK_BYTES = 1_048_576
const PAGE_BYTES = 4_096

/** Mounts it on a folder, by default a new one. Throws if this process may not mount. */
export function mountSmallVolume(
  bytes: number,
  folder: string = mkdtempSync(join(tmpdir(), 'cupel-volume-')),
): SmallVolume {
  try {
    // An unprivileged database user traverses it.
    run('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=0711`, 'tmpfs', folder])
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  const filler = openSync(join(folder, 'filler'), 'w')
  return {
    folder,
    freeBytes: () => freeBytes(folder),
    fill() {
      for (const size of [CHUNK_BYTES, PAGE_BYTES]) while (wrote(filler, size));
    },
    makeRoom: () => ftruncateSync(filler),
    unmount() {
      closeSync(filler)
      // Lazily, so that a process that was left behind cannot keep it.
      run('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true })
    },
  }
}

/** Why this process may not mount one; null if it may. */
export function whyNoSmallVolume(): string | null {
  try {
    mountSmallVolume(CHUNK_BYTES).unmount()
    return null
  } catch (error) {
    return (error as Error).message.trim()
  }
}

function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Whether any part of a chunk was written. */
function wrote(file: number, size: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(size)) > 0
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false
    throw error
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
