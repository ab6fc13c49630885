/** Links from a report to more about its address, and to the calls that read it. */
import { Level, Moment, type PageCall } from '@cupel/console'
import type { Report } from '@cupel/contracts'

interface RelatedPagesProps {
  readonly call: PageCall
  readonly report: Report
  /** The report of the same address before this one; null if this is the first, `unread` if one may exist and cannot be read now. */
  readonly predecessor: Report | 'unread' | null
}

export function RelatedPages({ call, report, predecessor }: RelatedPagesProps) {
  const { report_id: id, address, chain } = report
  const again = new URLSearchParams({
    ...{ address, chain },
    ...(report.customer_reference === null ? {} : { reference: report.customer_reference }),
  })
  const subject = new URLSearchParams({ address, chain }).toString()
  return (
    <nav class="related no-print" aria-label="More about this address">
      {predecessor === 'unread' ? (
        <a class="button plain" href={`/compare?report=${id}`}>
          What changed: an earlier report cannot be read right now
        </a>
      ) : predecessor === null ? null : (
        <a class="button plain" href={`/compare?report=${predecessor.report_id}&report=${id}`}>
          What changed since <Moment at={predecessor.generated_at} />:{' '}
          <Level level={predecessor.risk.level} score={predecessor.risk.score} />
        </a>
      )}
      <a class="button plain" href={`/history?${new URLSearchParams({ q: address }).toString()}`}>
        Reports of this address
      </a>
      <a class="button plain" href={`/audit?subject=${id}`}>
        Who read this report
      </a>
      <a class="button plain" href={`/screen?${again.toString()}`}>
        Screen it again
      </a>
      {call.hasPage('/watches') ? (
        <a class="button plain" href={`/watches?${subject}#new-watches`}>
          Watch this address
        </a>
      ) : null}
    </nav>
  )
}
