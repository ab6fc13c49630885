/** How many addresses of a job have each level, in words. Pure. */
import type { EndedItem, EndedJob } from './webhook-facts.js'

/** Levels in alphabetical order, then the reports whose level was not read. */
export function levelCounts(job: EndedJob, items: readonly EndedItem[]): string[] {
  const levels = new Map<string, number>()
  for (const { report } of items) {
    if (report === null) continue
    const { level } = (JSON.parse(report) as { risk: { level: string } }).risk
    levels.set(level, (levels.get(level) ?? 0) + 1)
  }
  const unread = job.completed - [...levels.values()].reduce((sum, count) => sum + count, 0)
  return [
    ...[...levels].sort().map(([level, count]) => `${level === 'grey' ? 'not cleared' : level} ${count}`),
    ...(unread > 0 ? [`level not read ${unread}`] : []),
  ]
}
