/** Removes texts that must not leave the installation: its secrets in every spelling, credentials, and addresses that were screened. */

export type Redact = (text: string) => string

/** Shorter secrets are not searched for: they would be found in every other word. Settings are never told by value anyway. */
export const MIN_SECRET_CHARACTERS = 8
const SECRET = '[secret removed]'
const ADDRESS = '[address removed]'

const CREDENTIALS: readonly RegExp[] = [
  /\bcpl_(?:live|test)_\w+/g,
  // Sessions and share links.
  /\bcupel_(?:session|share)_[\w-]+/g,
  // ID tokens, sealed cookies and page tokens in the compact form.
  /\beyJ[\w-]+(?:\.[\w-]*){2,4}/g,
  /\bwhsec_[\w+/=-]+/g,
  // Cookies of the console.
  /\bcupel-(?:session|visit|sign-in|once)=[^\s;"]+/g,
  /\b(?:Bearer|Basic) [\w.~+/=-]+/gi,
  // Between scheme and host of a URL.
  /(?<=:\/\/)[^\s/@"']+(?=@)/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

/**
 * Shapes of addresses, wider than any chain's own rule: another word is rather removed than an address kept. Logs may hold mistyped ones.
 */
const ADDRESSES: readonly RegExp[] = [
  /\b0x[0-9a-f]{40,64}\b/gi,
  // Bech32, and the like with a prefix and a colon.
  /\b[a-z]{1,12}1[02-9ac-hj-np-z]{38,160}\b/gi,
  /\b(?:bitcoincash|ecash|kaspa|erd|nano|xrb|ban)[:_][0-9a-z]{30,80}\b/gi,
  // Base58 with letters of both cases: Bitcoin, Tron, Solana, Ripple, Monero.
  /\b(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[1-9A-HJ-NP-Za-km-z]{25,110}\b/g,
  // TON.
  /\b(?:EQ|UQ|kQ|0Q)[\w-]{46}(?![\w-])/g,
  /(?<!\w)-?[01]:[0-9a-f]{64}\b/gi,
]

export function createRedact(secrets: Iterable<string>): Redact {
  const spellings = new Set([...secrets].flatMap(spellingsOf))
  // The longest first, because a secret may contain another one.
  const known = [...spellings].sort((a, b) => b.length - a.length)
  return (text) => {
    let left = text
    for (const spelling of known) left = left.replaceAll(spelling, SECRET)
    for (const shape of CREDENTIALS) left = left.replace(shape, SECRET)
    for (const shape of ADDRESSES) left = left.replace(shape, ADDRESS)
    return left
  }
}

/** The spellings of texts and programs: as it is, in JSON, in a URL, in base64 and in hex; of a key in base64 also its bytes in hex. */
function spellingsOf(secret: string): string[] {
  if (secret.length < MIN_SECRET_CHARACTERS) return []
  const bytes = Buffer.from(secret)
  const decoded = /^[\w+/-]{16,}={0,2}$/.test(secret) ? [Buffer.from(secret, 'base64')] : []
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...[bytes, ...decoded].flatMap((each) => [
      each.toString('base64').replace(/=+$/, ''),
      each.toString('base64url'),
      each.toString('hex'),
      each.toString('hex').toUpperCase(),
    ]),
  ].filter((spelling) => spelling.length >= MIN_SECRET_CHARACTERS)
}
