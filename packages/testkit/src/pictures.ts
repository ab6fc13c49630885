/** Compares pictures with approved ones. Fonts and anti-aliasing differ between machines, so a part of the pixels may differ. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** Tolerance for one pixel, from 0 to 1; the effect of anti-aliasing is smaller. */
const COLOUR_TOLERANCE = 0.2

export interface PictureComparison {
  /** The difference from the approved picture; null if there is none. */
  readonly fault: string | null
}

/**
 * `approved`: the file of the approved picture, a PNG. `maxDifferent`: the fraction of the pixels that may differ. With
 * CUPEL_APPROVE_PICTURES=1 the picture becomes the approved one.
 */
export function comparePicture(
  picture: Buffer,
  { approved, maxDifferent }: { readonly approved: string; readonly maxDifferent: number },
): PictureComparison {
  if (process.env['CUPEL_APPROVE_PICTURES'] === '1') {
    mkdirSync(dirname(approved), { recursive: true })
    writeFileSync(approved, picture)
    return { fault: null }
  }
  if (!existsSync(approved))
    return { fault: `${approved} is missing: look at the picture, then npm run approve-pictures` }
  const [is, was] = [PNG.sync.read(picture), PNG.sync.read(readFileSync(approved))]
  if (is.width !== was.width || is.height !== was.height)
    return {
      fault: `${approved}: ${is.width} × ${is.height} pixels in place of ${was.width} × ${was.height}`,
    }
  const different = pixelmatch(is.data, was.data, undefined, is.width, is.height, {
    threshold: COLOUR_TOLERANCE,
  })
  const part = different / (is.width * is.height)
  if (part <= maxDifferent) return { fault: null }
  return { fault: `${approved}: ${(part * 100).toFixed(2)}% of the pixels differ; npm run approve-pictures` }
}
