/** The providers to query: a JSON document that the operator keeps, because it may hold keys. Without it no provider is queried. */
import { chainOf, findChain, strictJsonFault, type ChainCode } from '@cupel/domain'
import { z } from 'zod'
import { landmarks } from './chain-identity.js'

export const providerKinds = [
  'evm-rpc',
  'etherscan',
  'esplora',
  'blockbook',
  'trongrid',
  'solana-rpc',
] as const
export type ProviderKind = (typeof providerKinds)[number]
/** A node has no list of the transfers of an address. */
const WITHOUT_HISTORIES: ProviderKind = 'evm-rpc'

/** Providers of one chain; every screen of the chain queries each of them. */
const MAX_PROVIDERS_PER_CHAIN = 5
const MAX_PROVIDERS = 100

const chainCode = z.string().transform((code, context): ChainCode => {
  const chain = findChain(code)
  if (chain !== undefined) return chain.code
  context.addIssue('not a chain of this version')
  return z.NEVER
})

const secretText = z.string().max(4_096)

const providerSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{0,39}$/)
    .describe('The name in reports and metrics: lower-case letters, digits, dots and hyphens.'),
  kind: z.enum(providerKinds),
  chain: chainCode,
  url: z
    .url({ protocol: /^https?$/ })
    .transform((text) => new URL(text))
    .refine(
      ({ username, password }) => username === '' && password === '',
      'no user or password; use headers',
    ),
  headers: z.record(z.string().regex(/^[A-Za-z0-9-]{1,64}$/), secretText).default({}),
  query: z
    .record(z.string().max(64), secretText)
    .default({})
    .describe('Sent with every question, for example {"apikey": "…"}.'),
  multichain: z
    .boolean()
    .default(true)
    .describe('Of kind etherscan: the host serves many chains, so chainid is sent.'),
})

export type ProviderConfig = z.output<typeof providerSchema> & {
  /** How many providers of the chain must state the same history; absent: one. */
  readonly agree?: typeof AGREE
}

/** Providers that must state the same history, if the operator asks for it. */
const AGREE = 2

const configurationSchema = z
  .strictObject({
    providers: z.array(providerSchema).max(MAX_PROVIDERS),
    agree: z
      .partialRecord(chainCode, z.literal(AGREE))
      .default({})
      .describe('Chains of which a history is whole only if two providers state the same transfers.'),
  })
  .superRefine(({ providers, agree }, context) => {
    for (const chain of Object.keys(agree)) {
      const able = providers.filter((one) => one.chain === chain && one.kind !== WITHOUT_HISTORIES)
      if (able.length < AGREE)
        context.addIssue({
          ...{ code: 'custom', path: ['agree', chain] },
          message: 'two providers of the chain must give histories',
        })
    }
    const names = new Set<string>()
    const perChain = new Map<string, number>()
    for (const [index, { name, kind, chain }] of providers.entries()) {
      const at = (field: string, message: string): void =>
        context.addIssue({ code: 'custom', path: ['providers', index, field], message })
      if (names.has(name)) at('name', 'another provider has this name')
      names.add(name)
      if (!servesChain(kind, chain)) at('chain', `a provider of kind ${kind} cannot be asked for ${chain}`)
      const ofChain = (perChain.get(chain) ?? 0) + 1
      perChain.set(chain, ofChain)
      if (ofChain > MAX_PROVIDERS_PER_CHAIN) at('chain', `more than ${MAX_PROVIDERS_PER_CHAIN} providers`)
    }
  })

/** The document is invalid; one line for each fault, without values of the document. */
export class ChainDataConfigurationError extends Error {
  override readonly name = 'ChainDataConfigurationError'
}

/** Reads the document. Throws ChainDataConfigurationError. */
export function parseConfiguration(text: string): readonly ProviderConfig[] {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw new ChainDataConfigurationError('The file of chain data providers is not JSON.')
  }
  // If two settings have one name, JSON.parse keeps the last; the author may have meant the first.
  const doubtful = strictJsonFault(text, 'The file')
  if (doubtful !== null)
    throw new ChainDataConfigurationError(
      `The file of chain data providers is not clear at ${doubtful.pointer || 'its whole'}: ${doubtful.detail}`,
    )
  const parsed = configurationSchema.safeParse(document)
  if (parsed.success) {
    const { providers, agree } = parsed.data
    return providers.map((one) => (one.chain in agree ? { ...one, agree: AGREE } : one))
  }
  const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  throw new ChainDataConfigurationError(faults.join('\n'))
}

/** Whether this protocol reveals answers of another chain. */
function servesChain(kind: ProviderKind, chain: ChainCode): boolean {
  const { chainId, family } = chainOf(chain)
  const isKnown = landmarks[chain] !== undefined
  const serves: Readonly<Record<ProviderKind, boolean>> = {
    'evm-rpc': chainId !== null,
    etherscan: chainId !== null && isKnown,
    esplora: family === 'bitcoin' && isKnown,
    blockbook: family === 'bitcoin' && isKnown,
    trongrid: chain === 'TRX',
    'solana-rpc': chain === 'SOL',
  }
  return serves[kind]
}
