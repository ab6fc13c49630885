/** Finds the name that a caller meant. */

/** Names that other APIs give to the same thing. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  limit: 'page_size',
  size: 'page_size',
  count: 'page_size',
  per_page: 'page_size',
  cursor: 'page_token',
  page: 'page_token',
  after: 'page_token',
  next: 'page_token',
  next_page_token: 'page_token',
  network: 'chain',
  blockchain: 'chain',
  wallet: 'address',
}

/** Letters that may be wrong, missing or too many. */
const MAX_DISTANCE = 2

/** Null if none of the known names is near. */
export function nearestIn(known: readonly string[]): (name: string) => string | null {
  return (name) => {
    const given = name.toLowerCase().replaceAll('-', '_')
    const other = OTHER_NAMES[given]
    if (other !== undefined && known.includes(other)) return other
    const plain = (text: string): string => text.replaceAll('_', '')
    const [best] = known
      .map((one) => ({ one, distance: distanceOf(plain(given), plain(one)) }))
      .sort((a, b) => a.distance - b.distance)
    const isNear = best !== undefined && best.distance <= MAX_DISTANCE && best.distance < best.one.length / 2
    return isNear ? best.one : null
  }
}

/** Levenshtein distance. A name that is much longer is far. */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return Infinity
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
