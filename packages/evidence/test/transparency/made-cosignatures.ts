/** Proofs that witnesses cosigned, and every way to break a cosignature. */
import { cosigner, signatureLine, signedText, type Cosigner } from '@cupel/testkit'
import { madeProof } from './made-proof.js'

const [W1, W2, W3] = [1, 2, 3].map((at) => cosigner(`witness.example/w${at}`, 0x40 + at)) as [
  Cosigner,
  Cosigner,
  Cosigner,
]
const AT = 1_764_072_000
const PROOF = madeProof()
const TEXT = signedText(PROOF)
const cosigned = (...by: readonly Cosigner[]): string =>
  PROOF + by.map((witness, index) => witness.line(TEXT, AT + index)).join('')
const bytesOf = (line: string): Buffer => Buffer.from(line.trim().split(' ')[2]!, 'base64')
const spoil = (at: number): string => {
  const bytes = bytesOf(W1.line(TEXT, AT))
  bytes[at]! ^= 1
  return signatureLine(W1.name, bytes)
}
const ALL = [W1, W2, W3].map(({ vkey }) => vkey)

interface WitnessCase {
  readonly name: string
  readonly proof: string
  readonly witnesses: readonly string[]
  readonly needed: number
}
const all =
  (needed: number) =>
  ([name, proof]: readonly [string, string]): WitnessCase => ({ name, proof, witnesses: ALL, needed })

/** With the names of the cosigners, in the order of the witnesses. */
export const ENOUGH_WITNESSES: readonly (WitnessCase & { readonly by: readonly string[] })[] = [
  { ...all(2)(['two of three', cosigned(W1, W3)]), by: [W1.name, W3.name] },
  { ...all(3)(['three of three, in another order', cosigned(W3, W1, W2)]), by: [W1.name, W2.name, W3.name] },
  { ...all(1)(['one, and a line of a stranger', cosigned(cosigner('stranger', 9), W2)]), by: [W2.name] },
  { ...all(1)(['one that cosigned twice', cosigned(W1, W1)]), by: [W1.name] },
  {
    ...all(1)(['one, and a key with its name', cosigned(cosigner(W2.name, 9), W1)]),
    by: [W1.name],
  },
  { ...all(1)(['at the last second', `${PROOF}${W1.line(TEXT, 253_402_300_799)}`]), by: [W1.name] },
]

export const TOO_FEW_WITNESSES: readonly WitnessCase[] = [
  ...(
    [
      ['nobody cosigned', PROOF],
      ['one', cosigned(W1)],
      ['one that cosigned twice', cosigned(W2, W2)],
      ['a stranger and one', cosigned(W1, cosigner('stranger', 9))],
      ['a key with the name of a witness', cosigned(W1, cosigner(W2.name, 9))],
      ['a key of another type', cosigned(W1, cosigner(W2.name, 0x42, 1))],
    ] as const
  ).map(all(2)),
  ...(
    [
      ['another time', `${PROOF}${spoil(11)}`],
      ['another signature', `${PROOF}${spoil(75)}`],
      ['a byte less', `${PROOF}${signatureLine(W1.name, bytesOf(W1.line(TEXT, AT)).subarray(0, -1))}`],
      [
        'a byte more',
        `${PROOF}${signatureLine(W1.name, Buffer.concat([bytesOf(W1.line(TEXT, AT)), Buffer.of(0)]))}`,
      ],
      ['no time', `${PROOF}${signatureLine(W1.name, W1.id)}`],
      ['a cosignature of another checkpoint', `${PROOF}${W1.line(TEXT.replace('\n300\n', '\n299\n'), AT)}`],
      ['a cosignature of the text with its signature', `${PROOF}${W1.line(`${TEXT}\n`, AT)}`],
      ['after the year 9999', `${PROOF}${W1.line(TEXT, 253_402_300_800)}`],
      ['a time that no number holds', `${PROOF}${W1.line(TEXT, 2n ** 63n + 1n)}`],
      ['a wrong second line of a witness', `${cosigned(W1, W2)}${spoil(40)}`],
      ['a wrong line before a right one', `${PROOF}${spoil(40)}${W1.line(TEXT, AT)}`],
      ['a carriage return', cosigned(W1, W2).replace(/\n$/, '\r\n')],
    ] as const
  ).map(all(1)),
]

/** Witnesses and numbers against which no checkpoint can be checked. */
export const NO_POLICIES: readonly (readonly [readonly string[], number])[] = [
  [ALL, 0],
  [ALL, 4],
  [[], 1],
  [[W1.vkey, W1.vkey], 1],
  [[W1.vkey, cosigner('other', 0x41).vkey], 1],
  [[W1.vkey, cosigner(W1.name, 9).vkey], 1],
]

export const NO_WITNESS_KEYS: readonly string[] = [
  '',
  'witness',
  cosigner(W1.name, 0x41, 1).vkey,
  cosigner(W1.name, 0x41, 6).vkey,
  W1.vkey.replace('w1', 'w2'),
  W1.vkey.slice(0, -1),
  `${W1.vkey} `,
  W1.vkey.replace('+', '++'),
  cosigner('a name', 1).vkey,
  cosigner('é', 1).vkey,
  cosigner('x'.repeat(256), 1).vkey,
]
