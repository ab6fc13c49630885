/** What an attack needs of its target. Each is made on every target that has it; of the others its place says why they would show nothing. */
import type { ProxyName } from './proxies.js'

export interface TargetKind {
  readonly log: 'embedded' | 'kafka'
  readonly proxy: ProxyName | null
}

interface Place {
  /** Why it is made nowhere else. */
  readonly reason: string
  readonly isAt: (kind: TargetKind) => boolean
}

const isDirect = ({ proxy }: TargetKind): boolean => proxy === null

export const places = {
  /** The attacker sends nothing to the API: it has commands, files, a role in the database or a provider. */
  installation: {
    reason: 'It comes by commands, files, the database or a provider, and not through the API.',
    isAt: isDirect,
  },
  /** What the attack looks for is in the installation. */
  store: {
    reason: 'It looks for what is stored and sent, and a proxy stores and sends nothing of it.',
    isAt: isDirect,
  },
  embedded: {
    reason: 'It needs the log in the database; tests of evidence and of clusters do the same to Kafka.',
    isAt: (kind) => isDirect(kind) && kind.log === 'embedded',
  },
  kafka: {
    reason: 'It needs another producer of records, which only Kafka has.',
    isAt: (kind) => isDirect(kind) && kind.log === 'kafka',
  },
  /** The attacker has to see an answer before the end of the body. */
  earlyAnswer: {
    reason: 'Caddy passes no answer on before the end of the body, so that the sender sees no refusal.',
    isAt: ({ proxy }) => proxy !== 'caddy',
  },
  /** Made once, because it has an installation of its own or none. */
  once: {
    reason: 'It has an installation of its own or none, so that its target does not matter.',
    isAt: (kind) => isDirect(kind) && kind.log === 'embedded',
  },
} as const satisfies Record<string, Place>

export type PlaceName = keyof typeof places

/** Why an attack shows nothing on the target; null if it is made there. */
export function whyNotAt(place: PlaceName | undefined, kind: TargetKind): string | null {
  return place === undefined || places[place].isAt(kind) ? null : places[place].reason
}
