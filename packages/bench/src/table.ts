/** Tables in Markdown, and the conditions under which figures hold. */
import { execFileSync } from 'node:child_process'
import { cpus, loadavg } from 'node:os'
import type { BenchOptions } from './options.js'

export function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export const thousands = (value: number): string => Math.round(value).toLocaleString('en-US')

/** A figure holds only under its conditions. A load average above a few tenths shows that other programs used the machine. */
export function conditionsOf({ root, brokers }: BenchOptions): string {
  const date = new Date().toISOString().slice(0, 10)
  const load = loadavg()[0]!.toFixed(1)
  return `Measured ${date} at commit ${commitOf(root)}, everything on one machine: ${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), Node ${process.versions.node}, Kafka brokers ${brokers}, load average before the run ${load}.`
}

function commitOf(root: string): string {
  try {
    const stdio: ('ignore' | 'pipe')[] = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, stdio }).toString().trim()
  } catch {
    return 'unknown'
  }
}
