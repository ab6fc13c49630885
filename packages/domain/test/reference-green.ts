/** What the origin of value says against green, only by the rules of the level: fractions of what came in, per asset. */
import type { ReferenceExposure } from './reference-exposure.js'

const illicit = ['sanctions', 'darknet', 'stolen', 'scam', 'mixer']

export interface DustOfGroups {
  /** Below it an incoming exposure is ignored. */
  readonly measured: Readonly<Record<string, bigint>>
  /** Below it nothing is asked of what came in of an asset. */
  readonly asset: Readonly<Record<string, bigint>>
}

export function referenceDoubts(
  { measures, breakdown }: ReferenceExposure,
  dust: DustOfGroups,
): readonly string[] {
  const millionths = new Map<string, Map<string, bigint>>()
  for (const [key, { wholeAmount }] of measures) {
    const [kind, relation, direction, weak, , , , group] = key.split(' ') as string[]
    const name = [kind!.split('/')[0], relation, direction, weak].join(' ')
    const ofKind = millionths.get(name) ?? new Map<string, bigint>()
    millionths.set(name, ofKind.set(group!, (wholeAmount * 1_000_000n) / dust.measured[group!]!))
  }
  /** Less than dust came in over all assets together, each asset in parts of its own dust. */
  const isTooLittle = (name: string): boolean =>
    [...millionths.get(name)!.values()].reduce((sum, one) => sum + one, 0n) < 1_000_000n
  const all = [...measures].map(([key, { amount }]) => {
    const [kind, relation, direction, weak, , , , group] = key.split(' ') as string[]
    const isIncoming = direction === 'in'
    // A hub has no label, weak or not: its value is nobody's.
    const isIllicit = illicit.includes(kind!.split('/')[0]!)
    const isSure = weak === 'false'
    return {
      amount,
      isIncoming,
      isIllicit,
      isSure,
      isDust: isIncoming && isTooLittle([kind!.split('/')[0], relation, direction, weak].join(' ')),
      group: group!,
    }
  })
  const flows = [...breakdown].flatMap(([key, { total, parts }]) => {
    const [direction, group] = key.split(' ') as [string, string]
    // Anyone can emit a token that no table knows.
    if (direction !== 'in' || total === 0n || dust.asset[group] === undefined) return []
    const own = all.filter((one) => one.isIncoming && one.isIllicit && one.group === group)
    const sum = (of: typeof own): bigint => of.reduce((left, { amount }) => left + amount, 0n)
    const explained = [...parts].filter(([part]) => /^(?:clean_exchange|issuance) /.test(part))
    return [
      {
        isOfNote: total >= dust.asset[group]! || sum(own.filter(({ isSure }) => isSure)) > 0n,
        hasDust:
          sum(own.filter(({ isSure, isDust }) => isSure && isDust)) * 100n >= total &&
          sum(own.filter(({ isSure, isDust }) => isSure && isDust)) > 0n,
        hasWeak:
          sum(own.filter(({ isSure }) => !isSure)) * 100n >= total &&
          sum(own.filter(({ isSure }) => !isSure)) > 0n,
        isExplained: explained.reduce((left, [, { amount }]) => left + amount, 0n) * 10n >= total * 9n,
      },
    ]
  })
  const hasOwn = [...breakdown].some(([, { parts }]) =>
    [...parts.keys()].some((part) => part !== 'uncounted '),
  )
  const ofNote = flows.filter((one) => one.isOfNote)
  const asked = ofNote.length > 0 ? ofNote : flows
  const doubts = {
    illicit_value: all.some((one) => one.isIllicit && one.isSure && !one.isDust && one.amount > 0n),
    illicit_dust: flows.some((one) => one.hasDust),
    weak_origin: ofNote.some((one) => one.hasWeak),
    unattributed: hasOwn && !(asked.length > 0 && asked.every((one) => one.isExplained)),
  }
  return Object.entries(doubts).flatMap(([doubt, isFound]) => (isFound ? [doubt] : []))
}
