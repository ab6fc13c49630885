/** The number of processes per service on the Kafka profile. */
import { CommandError, EXIT_USAGE } from '@cupel/command-line'

export const scalable = [
  'api',
  'scorer',
  'bulk-scorer',
  'bulk-coordinator',
  'webhook-dispatcher',
  'label-refresher',
  'projector',
  'web',
] as const
export type ScalableService = (typeof scalable)[number]
export type Scale = Readonly<Record<ScalableService, number>>

/** More processes gain nothing on one machine, and each API instance needs its own report partition. */
export const MAX_PROCESSES = 8

/** `api=2,scorer=2` → 2 each, 1 of the rest. Throws CommandError on anything else. */
export function parseScale(text: string | undefined): Scale {
  const scale = Object.fromEntries(scalable.map((service) => [service, 1])) as Record<ScalableService, number>
  const seen = new Set<string>()
  for (const part of text === undefined ? [] : text.split(',')) {
    const [name = '', count = '', ...rest] = part.trim().split('=')
    if (!isScalable(name) || rest.length > 0)
      throw refused(`"${part.trim()}" does not name a service; those are ${scalable.join(', ')}`)
    if (seen.has(name)) throw refused(`${name} is given twice`)
    if (!/^[1-9]\d*$/.test(count) || Number(count) > MAX_PROCESSES)
      throw refused(`${name} takes a number from 1 to ${MAX_PROCESSES}, not "${count}"`)
    seen.add(name)
    scale[name] = Number(count)
  }
  return scale
}

function isScalable(name: string): name is ScalableService {
  return (scalable as readonly string[]).includes(name)
}

function refused(reason: string): CommandError {
  return new CommandError(`--scale looks like api=2,scorer=2: ${reason}.`, EXIT_USAGE)
}
