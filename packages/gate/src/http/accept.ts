/** Which of the offered media types a caller wants (RFC 9110, section 12.5.1). */

interface Range {
  readonly type: string
  readonly quality: number
}

/** The first of the offered types where the header is absent; null where it admits none of them. */
export function negotiate<const T extends string>(
  accept: string | undefined,
  offered: readonly T[],
): T | null {
  if (accept === undefined || accept.trim() === '') return offered[0] ?? null
  const ranges = accept.split(',').flatMap(rangeOf)
  let best: { type: T; quality: number } | null = null
  for (const type of offered) {
    const quality = qualityOf(type, ranges)
    // Between equal weights the first offer wins.
    if (quality > (best?.quality ?? 0)) best = { type, quality }
  }
  return best?.type ?? null
}

function rangeOf(text: string): Range[] {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return []
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = q === undefined ? 1 : Number(q.slice(2))
  return Number.isNaN(quality) ? [] : [{ type, quality: Math.max(0, Math.min(1, quality)) }]
}

/** The most specific range decides. */
function qualityOf(type: string, ranges: readonly Range[]): number {
  const [major] = type.split('/')
  for (const wanted of [type, `${major}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === wanted)
    if (range !== undefined) return range.quality
  }
  return 0
}
