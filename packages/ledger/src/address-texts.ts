/** Texts of addresses by their numbers. Most transfers have a busy address on one side, so the texts of one state of the ledger are kept. */
import type { Queryable } from '@cupel/postgres'
import { keptPlan } from './stored-values.js'

const READ = {
  name: 'ledger.read-addresses',
  text: `SELECT address_id AS number, address AS text FROM ledger.address WHERE address_id = ANY (${keptPlan('$1::int4[]')}::int4[])`,
}

interface Known {
  readonly ledgerSeq: number
  readonly texts: Map<number, string>
}

const knownOf = new WeakMap<Queryable, Known>()
/** Some 30 MB. */
const MOST_KNOWN = 200_000

/** The text of each of these numbers. Throws for a number that the ledger does not have: somebody removed a row. */
export async function addressTexts(
  database: Queryable,
  ledgerSeq: number,
  numbers: Iterable<number>,
): Promise<(number: number) => string> {
  const known = knownIn(database, ledgerSeq)
  const found = new Map<number, string>()
  const unknown = new Set<number>()
  for (const number of numbers) {
    const text = known.get(number)
    if (text === undefined) unknown.add(number)
    else found.set(number, text)
  }
  if (unknown.size > 0) {
    const rows = await database.query<{ number: number; text: string }>(READ, [[...unknown]])
    for (const { number, text } of rows) {
      found.set(number, text)
      known.set(number, text)
    }
  }
  return (number) => {
    const text = found.get(number)
    if (text === undefined) throw new Error(`The ledger has no address with the number ${number}`)
    return text
  }
}

function knownIn(database: Queryable, ledgerSeq: number): Map<number, string> {
  const known = knownOf.get(database)
  if (known?.ledgerSeq === ledgerSeq && known.texts.size <= MOST_KNOWN) return known.texts
  const texts = new Map<number, string>()
  knownOf.set(database, { ledgerSeq, texts })
  return texts
}
