/** Decides which traces are sampled, with the values of OpenTelemetry’s own settings. */
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

/** The ratio applies only to the samplers with one. */
export function createSampler(name: SamplerName, ratio: number): IsSampled {
  const isParentBased = name.startsWith(PARENT_BASED)
  const root = isParentBased ? name.slice(PARENT_BASED.length) : name
  const share = root === 'always_on' ? 1 : root === 'always_off' ? 0 : ratio
  return (traceId, parent) => (isParentBased && parent !== null ? parent.isSampled : isWithin(traceId, share))
}

/** Number of hexadecimal digits of a trace id that are always random, even in one made from a UUID; a number holds them exactly. */
const RANDOM_DIGITS = 12
const VALUES = 16 ** RANDOM_DIGITS

/** Every process gives the same answer for one trace id. A greater ratio includes all traces of a smaller one. */
function isWithin(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) >= (1 - ratio) * VALUES
}
