/** Finds the processes of an installation: the descendants of its supervisor, by their command line. */
import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** Processes that a test can kill, with the pattern of their command line. */
export const victims = {
  api: /\/dist\/api\.js\b/,
  scorer: /\/dist\/scorer\.js\b/,
  'bulk-coordinator': /\/dist\/bulk-coordinator\.js\b/,
  'webhook-dispatcher': /\/dist\/webhook-dispatcher\.js\b/,
  projector: /\/dist\/projector\.js\b/,
  kafka: /kafka\.Kafka/,
  postgres: /\/postgres\b.* -D /,
  registry: /apicurio-registry/,
} as const

export type Victim = keyof typeof victims

export function descendants(root: number): ProcessEntry[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => entry(Number(name)))
  const found: ProcessEntry[] = []
  let parents = new Set([root])
  while (parents.size > 0) {
    const children = all.filter((process) => parents.has(process.parent))
    found.push(...children)
    parents = new Set(children.map((process) => process.pid))
  }
  return found
}

export function findVictims(supervisor: number, victim: Victim): number[] {
  const all = descendants(supervisor)
  const matching = all.filter((process) => victims[victim].test(process.command))
  const pids = new Set(matching.map((process) => process.pid))
  // The workers of a server have its command line too, so only their common parent is the victim.
  return matching.filter((process) => !pids.has(process.parent)).map((process) => process.pid)
}

function entry(pid: number): ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return []
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return [{ pid, parent: Number(fields[1]), command }]
  } catch {
    // The process ended between the listing and the reading.
    return []
  }
}
