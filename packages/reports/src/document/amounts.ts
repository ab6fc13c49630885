/** Arithmetic of decimal amounts such as `12.5 ETH`, exact. */

/** `12.5 ETH` → `ETH`; empty without one. */
export const assetOf = (amount: string): string => amount.replace(/^\S+ ?/, '')

/** Sums of decimal amounts, one for each asset, exact. An amount of another form stays by itself. */
export function summed(amounts: readonly string[]): readonly string[] {
  const sums = new Map<string, string>()
  const others: string[] = []
  for (const amount of amounts) {
    const [, digits] = /^(\d+(?:\.\d+)?)(?: |$)/.exec(amount) ?? []
    if (digits === undefined) others.push(amount)
    else sums.set(assetOf(amount), added(sums.get(assetOf(amount)) ?? '0', digits))
  }
  return [...[...sums].map(([asset, sum]) => (asset === '' ? sum : `${sum} ${asset}`)), ...others]
}

function added(one: string, other: string): string {
  const [a = '', aFraction = ''] = one.split('.')
  const [b = '', bFraction = ''] = other.split('.')
  const places = Math.max(aFraction.length, bFraction.length)
  const sum = BigInt(a + aFraction.padEnd(places, '0')) + BigInt(b + bFraction.padEnd(places, '0'))
  const text = String(sum).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}

/** Zero where the parts are more than the whole: amounts are rounded. */
export function difference(whole: string, parts: string): string {
  const [a, b] = [whole, parts].map((text) => /^(\d+)(?:\.(\d+))?/.exec(text))
  const places = Math.max(a?.[2]?.length ?? 0, b?.[2]?.length ?? 0)
  const unitsOf = (found: RegExpExecArray | null | undefined): bigint =>
    BigInt((found?.[1] ?? '0') + (found?.[2] ?? '').padEnd(places, '0'))
  const left = unitsOf(a) - unitsOf(b)
  const text = String(left < 0n ? 0n : left).padStart(places + 1, '0')
  return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
}
