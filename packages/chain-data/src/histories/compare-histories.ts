/** Compares what two providers say that one address moved. */
import { findAsset, type ChainCode, type HistoryKind } from '@cupel/domain'

type Line = Readonly<Record<string, unknown>>

export interface ToldHistory {
  readonly kinds: readonly HistoryKind[]
  /** Height of its head. */
  readonly height: number
  readonly lines: readonly Line[]
}

/**
 * The lines of each provider that the other one does not state, up to the lower head and for the kinds that both give. Lines that move no value of the
 * asset table, and those of failed transactions, are not compared: providers list different ones of them.
 */
export function differingLines(
  chain: ChainCode,
  first: ToldHistory,
  second: ToldHistory,
): { readonly first: readonly Line[]; readonly second: readonly Line[] } {
  const height = Math.min(first.height, second.height)
  const kinds = first.kinds.filter((kind) => second.kinds.includes(kind))
  const isCompared = (line: Line): boolean =>
    // A line without a height may lie below the lower head.
    !(Number(line['block_number']) > height) && movesValue(chain, line) && kinds.includes(kindOf(line))
  const [ofFirst, ofSecond] = [first, second].map(({ lines }) => lines.filter(isCompared))
  return { first: without(ofFirst!, ofSecond!), second: without(ofSecond!, ofFirst!) }
}

/** Equal lines count as often as they are told. */
function without(lines: readonly Line[], others: readonly Line[]): readonly Line[] {
  const told = new Map<string, number>()
  for (const one of others) told.set(movementOf(one), (told.get(movementOf(one)) ?? 0) + 1)
  return lines.filter((one) => {
    const left = told.get(movementOf(one)) ?? 0
    told.set(movementOf(one), left - 1)
    return left <= 0
  })
}

/** A transaction with inputs and outputs has no kind. What a chain issues is native value, and so is what has a word that is not known. */
const kindOf = ({ kind }: Line): HistoryKind => (kind === 'internal' || kind === 'token' ? kind : 'native')

function movesValue(chain: ChainCode, line: Line): boolean {
  if (line['inputs'] !== undefined) return true
  const { kind, status, from_address: from, to_address: to, asset_address: contract } = line
  if (status === '0' || line['amount_raw'] === '0' || from === to) return false
  return kind !== 'token' || findAsset(chain, String(contract)) !== undefined
}

/** Equal for lines that state the same movement. Places within a transaction differ from provider to provider. */
function movementOf(line: Line): string {
  const { block_number: height, inputs, outputs } = line
  if (inputs !== undefined) return text([height, line['hash'], partsOf(inputs), partsOf(outputs)])
  const { tx_hash: hash, kind, asset_address: contract, from_address: from, to_address: to } = line
  return text([Number(height), hash, kind, contract, from, to, line['amount_raw']])
}

const partsOf = (parts: unknown): readonly string[] =>
  (parts as readonly Line[]).map(({ addresses, value }) => text([addresses, String(value)])).sort()

const text = (value: unknown): string => JSON.stringify(value)
