/**
 * The reads that can cost another customer time: each GET of the API description, with each of its media types and its largest page, of which
 * the median of a few calls takes more of the processors than the limit. Of its filters it has the one that costs most. The time of the
 * processors is that of every process of the installation, so a busy machine changes little.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Get } from './intruders.js'
import { percentileOf } from './load.js'

export interface CostlyGet extends Get {
  readonly name: string
  readonly medianMs: number
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly schema: { readonly enum?: readonly string[]; readonly maximum?: number }
}

interface Read {
  readonly parameters?: readonly Parameter[]
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
}

export interface Description {
  readonly paths: Readonly<Record<string, { readonly get?: Read }>>
}

/** Beyond a call that reads nothing. */
const LIMIT_MS = 5
const CALLS = 7
/** An id that nobody has. */
const UNKNOWN = 'none'
/** The tokens of pages are of an earlier answer. */
const WITHOUT = ['page_token']

export const readDescription = (root: string): Description =>
  JSON.parse(readFileSync(join(root, 'docs/reference/openapi.json'), 'utf8')) as Description

/** Every read of the description, once plain and once for each value of each filter. `values`: of path parameters and filters. */
export function readsOf({ paths }: Description, values: Readonly<Record<string, string>>): readonly Get[] {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (get === undefined) return []
    const { parameters = [], responses } = get
    const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? UNKNOWN)
    const query = parameters.filter(({ in: where, name }) => where === 'query' && !WITHOUT.includes(name))
    const page = query.flatMap(({ name, schema: { maximum } }) =>
      maximum === undefined ? [] : [`${name}=${maximum}`],
    )
    const filters = query
      .filter(({ schema: { maximum } }) => maximum === undefined)
      .flatMap(({ name, schema }) =>
        (schema.enum ?? [values[name] ?? UNKNOWN]).map((value) => `${name}=${encodeURIComponent(value)}`),
      )
    const [, { content = {} }] = Object.entries(responses).find(([status]) => status.startsWith('2'))!
    return Object.keys(content).flatMap((accept) =>
      [[], ...filters.map((filter) => [filter])].map((filter) => {
        const search = [...page, ...filter].join('&')
        return { path: search === '' ? place : `${place}?${search}`, accept }
      }),
    )
  })
}

/** Those that take more than the limit beyond the first one, which reads nothing, with the most expensive first, each with its dearest filter. */
export async function costlyGets(
  reads: readonly Get[],
  call: (read: Get) => Promise<unknown>,
  processorMs: () => Promise<number>,
): Promise<readonly CostlyGet[]> {
  const measured: CostlyGet[] = []
  for (const read of reads) {
    const times: number[] = []
    for (let made = 0; made < CALLS; made += 1) {
      const beganMs = await processorMs()
      await call(read)
      times.push((await processorMs()) - beganMs)
    }
    measured.push({ ...read, name: `${read.path} as ${read.accept}`, medianMs: percentileOf(times, 0.5) })
  }
  const costly = measured
    .filter(({ medianMs }) => medianMs > measured[0]!.medianMs + LIMIT_MS)
    .sort((one, other) => other.medianMs - one.medianMs)
  const kindOf = ({ path, accept }: Get): string => `${path.split('?')[0]} ${accept}`
  return costly.filter((read, at) => costly.findIndex((other) => kindOf(other) === kindOf(read)) === at)
}
