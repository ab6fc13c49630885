/** Which traces are sampled, in the words of OpenTelemetry’s own settings. */
import type { SpanContext } from './trace-context.js'

export const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof samplers)[number]

export type IsSampled = (traceId: string, parent: SpanContext | null) => boolean

const PARENT_BASED = 'parentbased_'

/** The ratio counts for the samplers with one. */
export function createSampler(name: SamplerName, ratio: number): IsSampled {
  const isParentBased = name.startsWith(PARENT_BASED)
  const root = isParentBased ? name.slice(PARENT_BASED.length) : name
  const share = root === 'always_on' ? 1 : root === 'always_off' ? 0 : ratio
  return (traceId, parent) => (isParentBased && parent !== null ? parent.isSampled : isWithin(traceId, share))
}

/** Hexadecimal digits of a trace id that are random in every id, also in one made of a UUID; a number holds them exactly. */
const RANDOM_DIGITS = 12
const VALUES = 16 ** RANDOM_DIGITS

/** The same answer in every process for one trace id; a greater ratio takes all that a smaller one took. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * VALUES
}
