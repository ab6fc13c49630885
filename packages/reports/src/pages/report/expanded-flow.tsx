/** One hop further: the picture of a party of the report, of that party's own newest report. */
import type { Report } from '@cupel/contracts'
import { reportDocument, visibleText, type FlowPicture as Picture } from '../../document/index.js'
import { type ApiClient, queryText, type ReportPage, Level, Moment } from '@cupel/console'
import { FlowParties, FlowPicture } from '../../view/index.js'

export interface Expanded {
  readonly address: string
  readonly chain: string
  /** The newest report of the address; null if it was not screened yet. */
  readonly report: Report | null
}

/** Null unless `address` is a party of the picture. */
export async function findExpanded(
  api: ApiClient,
  { address, chain }: { readonly address: string | null; readonly chain: string },
  picture: Picture | null,
): Promise<Expanded | null> {
  const isParty = picture?.nodes.some(({ parties }) => parties.some((one) => one.address === address))
  if (address === null || isParty !== true) return null
  const { items } = await api.get<ReportPage>('/v1/reports', { address, chain, page_size: 1 })
  return { address, chain, report: items[0] ?? null }
}

interface ExpandedFlowProps {
  readonly expanded: Expanded
  /** Path of the report whose party it is. */
  readonly path: string
}

export function ExpandedFlow({ expanded: { address, chain, report }, path }: ExpandedFlowProps) {
  const text = visibleText(address)
  return (
    <section id="expanded" aria-labelledby="expanded-title" class="panel" tabindex={-1}>
      <h2 id="expanded-title">One hop further</h2>
      <p>
        <code data-copy>{text}</code>{' '}
        <a href={path} class="no-print">
          Close
        </a>
      </p>
      {report === null ? (
        <p>
          This address was not screened yet, so nothing is known of its own transfers.{' '}
          <a href={`/screen${queryText({ address, chain })}`}>Screen it</a>
        </p>
      ) : (
        <OwnFlow report={report} />
      )}
    </section>
  )
}

const PREFIX = 'expanded-'

function OwnFlow({ report }: { readonly report: Report }) {
  const { flow, chain } = reportDocument(report)
  return (
    <>
      <p>
        <Level level={report.risk.level} score={report.risk.score} />{' '}
        <a href={`/reports/${report.report_id}`}>
          Its newest report, <Moment at={report.generated_at} />
        </a>
      </p>
      {flow.picture === null ? (
        <p class="quiet">{flow.intro}</p>
      ) : (
        <>
          <FlowPicture picture={flow.picture} label="One hop further" prefix={PREFIX} />
          <p class="quiet flow-notes">{flow.picture.notes.join(' ')}</p>
          <FlowParties
            picture={flow.picture}
            {...{ chain, prefix: PREFIX, expandPath: `/reports/${report.report_id}` }}
          />
        </>
      )}
    </>
  )
}
