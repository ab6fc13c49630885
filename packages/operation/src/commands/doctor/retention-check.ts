/** The check of `cupel doctor` for months that an archive takes over. */
import { listRetentionRuns, listRetiredMonths, retentionFault } from '@cupel/projections'
import { fault, ok, warning, type Check, type Examined } from './examine.js'

export const retentionCheck = ({ database }: Pick<Examined, 'database'>): Check => ({
  name: 'retention',
  needs: ['database', 'tables'],
  async look() {
    const months = await listRetiredMonths(database)
    const red = (await listRetentionRuns(database)).flatMap((runs) => retentionFault(runs) ?? [])
    if (red.length > 0) return red.map((detail) => fault(detail, 'docs/retention.md#every-day'))
    const open = months.filter(({ endedAt }) => endedAt === null)
    if (open.length === 0) return [ok(`Months that an archive took over: ${months.length}.`)]
    return open.map(({ month, store, begunAt }) =>
      warning(
        `The retirement of ${month} from the ${store} was begun at ${begunAt} and has not ended.`,
        'Run `cupel retention apply` again (docs/retention.md).',
      ),
    )
  },
})
