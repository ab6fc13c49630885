/** Which services an installation needs, and which of them no process runs. */
import type { ProcessSeen } from '@cupel/projections/heartbeats'

/** Each service, or all the parts that share its work. A refresher is needed only if there is a plan. */
const NEEDED: readonly (readonly [service: string, ...parts: string[]])[] = [
  ['api'],
  ['projector'],
  ['scorer', 'interactive-scorer', 'bulk-scorer'],
  ['bulk-coordinator'],
  ['webhook-dispatcher'],
]

/** Empty if nothing runs at all. */
export function missingServices(processes: readonly ProcessSeen[]): string[] {
  const seen = new Set(processes.filter(({ isSeen }) => isSeen).map(({ service }) => service))
  if (seen.size === 0) return []
  return NEEDED.flatMap(([service, ...parts]) => {
    if (seen.has(service)) return []
    const missing = parts.filter((part) => !seen.has(part))
    return parts.length === 0 || missing.length === parts.length ? [service] : missing
  })
}
