/** The free space on the volume of a local installation, and whether it is too small for new work. */
import { statfs } from 'node:fs/promises'

export interface DiskSpace {
  readonly freeBytes: number
  readonly totalBytes: number
  /** Below this, no new work is accepted. */
  readonly watermarkBytes: number
  readonly isLow: boolean
}

/** Bytes, or a share of the volume such as `5%`. */
export const WATERMARK_PATTERN = /^(?:\d{1,15}|\d{1,2}(?:\.\d)?%)$/

/** Null if the folder does not exist: the data is then on volumes of other machines. */
export async function readDiskSpace(folder: string, watermark: string): Promise<DiskSpace | null> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    const freeBytes = bavail * bsize
    const totalBytes = blocks * bsize
    const watermarkBytes = watermark.endsWith('%')
      ? Math.floor((Number.parseFloat(watermark) / 100) * totalBytes)
      : Number(watermark)
    return { freeBytes, totalBytes, watermarkBytes, isLow: freeBytes < watermarkBytes }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
