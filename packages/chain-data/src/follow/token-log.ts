/** The transfer that a log of a virtual machine states. */
import { listOf, textOf, type Fields } from './answer-values.js'
import { FollowError } from './follow-error.js'
import type { Movement } from './transfer-rows.js'

/** keccak256("Transfer(address,address,uint256)"). */
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const WORD = /^[0-9a-f]{64}$/
/** Characters of a word, and of an address at its end. */
const WORD_DIGITS = 64
const ADDRESS_DIGITS = 40

const bare = (text: string): string => text.replace(/^0x/i, '').toLowerCase()

/** Ends are 40 hex digits. Null for another event, and for a transfer of nothing. Throws FollowError for words of another length. */
export function tokenMovement(log: Fields, place: string): Movement | null {
  const topics = listOf(log['topics'] ?? [], `the topics of ${place}`).map((topic) =>
    bare(textOf(topic, `a topic of ${place}`)),
  )
  if (topics[0] !== TRANSFER) return null
  const words = [...topics.slice(1), ...wordsOf(bare(textOf(log['data'] ?? '', `the data of ${place}`)))]
  // Another event of the same name.
  if (words.length !== 3) return null
  if (!words.every((word) => WORD.test(word)))
    throw new FollowError('unknown_meaning', `${place} has a word of another length`)
  const [from, to, value] = words as [string, string, string]
  const amount = BigInt(`0x${value}`)
  if (amount === 0n) return null
  return { from: from.slice(-ADDRESS_DIGITS), to: to.slice(-ADDRESS_DIGITS), value: amount }
}

/** Only whole words are those of this event. */
const wordsOf = (digits: string): readonly string[] =>
  digits.length % WORD_DIGITS === 0 ? (digits.match(/.{64}/g) ?? []) : ['']
