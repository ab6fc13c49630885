/** Values of transfers in the form in which the tables of the ledger hold them. */

/** Kinds of transfers by the letter that a row holds. */
const KINDS: Readonly<Record<string, string>> = { n: 'native', i: 'internal', t: 'token', u: 'utxo' }

/** Throws for a letter that no import writes. */
export function kindOf(letter: string): string {
  const kind = KINDS[letter]
  if (kind === undefined) throw new RangeError(`${letter} is not a kind of transfers`)
  return kind
}

const DIGITS = /^(0x)?([0-9a-f]+)$/
const [AS_IT_IS, HEX, PREFIXED_HEX] = ['00', '01', '02']

/** The bytes of a hash of a transaction, in hexadecimal digits; see the SQL function `ledger.tx_hash_text`. */
export function hashDigits(txHash: string): string {
  if (txHash === '') return ''
  const [, prefix, digits] = DIGITS.exec(txHash) ?? []
  if (digits === undefined || digits.length % 2 !== 0)
    return AS_IT_IS + Buffer.from(txHash, 'utf8').toString('hex')
  return (prefix === undefined ? HEX : PREFIXED_HEX) + digits
}

/** The hash that `hashDigits` made these digits of. */
export function hashOfDigits(digits: string): string {
  if (digits === '') return ''
  const rest = digits.slice(AS_IT_IS.length)
  if (digits.startsWith(PREFIXED_HEX)) return `0x${rest}`
  return digits.startsWith(HEX) ? rest : Buffer.from(rest, 'hex').toString('utf8')
}

/** SQL: the text of an address by its number. */
export const addressOf = (number: string): string =>
  `(SELECT text.address FROM ledger.address AS text WHERE text.address_id = ${number})`

/** SQL: the contract of a token by its number; empty for no number. */
export const contractOf = (number: string): string =>
  `CASE WHEN ${number} IS NULL THEN '' ELSE (SELECT text.contract FROM ledger.contract AS text WHERE text.contract_id = ${number}) END`

/** SQL: the number of an address of the chain `$1`; null if no transfer ever named it. */
export const numberOf = (address: string): string =>
  `(SELECT text.address_id FROM ledger.address AS text
    WHERE hashtextextended(text.address, 0) = hashtextextended(${address}, 0) AND text.chain = $1 AND text.address = ${address})`

/**
 * SQL: an array whose length the planner does not see. Else it prefers a plan for this array to a generic one, and planning every look-up
 * again takes longer than most look-ups (PostgreSQL documentation, PREPARE, "Notes").
 */
export const keptPlan = (array: string): string => `(SELECT ${array})`

export type PlainValue = string | number | null

/** The text of an array of numbers, words and digits: none needs a quote, and the driver would look for one in each. */
export const plainArray = (values: readonly PlainValue[]): string =>
  `{${values.map((value) => (value === '' ? '""' : (value ?? 'NULL'))).join()}}`
