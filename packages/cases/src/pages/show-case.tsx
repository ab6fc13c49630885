/** GET /cases/{report_id}: a case with its assignment, its files, and the other reports of its subject. */
import type { CaseAssignee, Report, ReportCase } from '@cupel/contracts'
import { assigneeText, fileText, personText, verdictOf, visibleText } from '@cupel/reports/document'
import {
  type ListPage,
  type ReportPage,
  nullWhereRefused,
  Form,
  Level,
  Moment,
  Notice,
  page,
  type Page,
  type PageCall,
  mayChange,
} from '@cupel/console'
import { CasePanel } from './case-panel.js'

/** Other reports of the address, and of the customer reference, that the page shows. */
const MAX_REPORTS = 20

export const showCase: Page = {
  method: 'GET',
  path: '/cases/{report_id}',
  access: 'session',
  async handle(call) {
    const { api, path, session } = call
    const reportId = path['report_id'] ?? ''
    const at = `/v1/reports/${encodeURIComponent(reportId)}`
    const report = await api.get<Report>(at)
    const canChange = mayChange(session)
    const [reportCase, ofAddress, ofReference, assignees] = await Promise.all([
      api.get<ReportCase>(`${at}/case`),
      reportsWith(call, { address: report.address }),
      report.customer_reference === null
        ? null
        : reportsWith(call, { customer_reference: report.customer_reference }),
      canChange ? api.get<ListPage<CaseAssignee>>('/v1/cases/assignees').catch(nullWhereRefused) : null,
    ])
    return page(
      'Case',
      <>
        <h1>Case</h1>
        <p>
          <Level level={report.risk.level} score={report.risk.score} />{' '}
          <a href={`/reports/${reportId}`}>
            <code>{visibleText(report.address)}</code>
          </a>{' '}
          <span class="tag">{visibleText(report.chain)}</span>
        </p>
        <p>{verdictOf(report).headline}</p>
        <p class="actions no-print">
          <a class="button plain" href={`/cases/${reportId}/dossier.pdf`} download>
            Dossier as PDF
          </a>
        </p>
        <CasePanel {...{ call, reportCase, isWhole: true }} />
        {canChange ? (
          <AssignmentPanel {...{ call, reportCase, assignees: assignees?.items ?? null }} />
        ) : null}
        <FilesPanel {...{ call, reportCase, canChange }} />
        <ReportsPanel
          id="of-address"
          title="Other reports of this address"
          reports={ofAddress}
          ownId={reportId}
        />
        {report.customer_reference === null ? null : (
          <ReportsPanel
            id="of-reference"
            title={`Other reports of the customer reference ${visibleText(report.customer_reference)}`}
            reports={ofReference}
            ownId={reportId}
          />
        )}
      </>,
      { section: '/cases' },
    )
  },
}

/** Null where they cannot be read. */
const reportsWith = (
  { api }: Pick<PageCall, 'api'>,
  filter: Readonly<Record<string, string>>,
): Promise<ReportPage | null> =>
  // One more than are shown, because the report of the case is among them.
  api.get<ReportPage>('/v1/reports', { ...filter, page_size: MAX_REPORTS + 1 }).catch(nullWhereRefused)

interface AssignmentPanelProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly reportCase: ReportCase
  /** Null where they cannot be read. */
  readonly assignees: readonly CaseAssignee[] | null
}

const valueOf = ({ key_id, person }: CaseAssignee): string =>
  person === null ? key_id : `${key_id} ${person}`

function AssignmentPanel({ call, reportCase, assignees }: AssignmentPanelProps) {
  const { report_id, version, assignee, due_on } = reportCase
  const present = assignee === null || assignee === undefined ? '' : valueOf(assignee)
  const offered = assignees ?? []
  return (
    <section aria-labelledby="assignment" class="panel no-print">
      <h2 id="assignment">Assignment</h2>
      {assignees === null ? (
        <Notice kind="fault">
          Who can be assigned cannot be read right now. Load the page again in a moment.
        </Notice>
      ) : (
        <Form call={call} action={`/reports/${report_id}/assignment`} class="share-form">
          <input type="hidden" name="back" value="case" />
          <input type="hidden" name="version" value={version} />
          <label for="assignee">Assigned to</label>
          <select id="assignee" name="assignee">
            <option value="">Nobody</option>
            {offered.map((one) => (
              <option key={valueOf(one)} value={valueOf(one)} selected={valueOf(one) === present}>
                {isOwn(one, call) ? `${personText(one)} (you)` : personText(one)}
              </option>
            ))}
          </select>
          {present !== '' && !offered.some((one) => valueOf(one) === present) ? (
            <p class="quiet">
              The case is assigned to {assigneeText(assignee)}, who cannot be chosen any more.
            </p>
          ) : null}
          <label for="due">Due on</label>
          <input id="due" name="due_on" type="date" value={due_on ?? ''} />
          <label for="assignment-reason">Why (may stay empty)</label>
          <input id="assignment-reason" name="assignment_reason" maxlength={2_000} />
          <button>Assign</button>
        </Form>
      )}
    </section>
  )
}

const isOwn = ({ key_id, person }: CaseAssignee, { session }: Pick<PageCall, 'session'>): boolean =>
  session !== null &&
  (session.actor === null ? person === null && key_id === session.keyId : person === session.actor)

interface FilesPanelProps {
  readonly call: Pick<PageCall, 'csrf'>
  readonly reportCase: ReportCase
  readonly canChange: boolean
}

function FilesPanel({ call, reportCase: { report_id, history }, canChange }: FilesPanelProps) {
  const files = history.flatMap(({ version, at, by, file }) =>
    file === undefined ? [] : [{ version, at, by, file }],
  )
  return (
    <section aria-labelledby="files" class="panel">
      <h2 id="files">Files</h2>
      {files.length === 0 ? (
        <p class="empty">No file is attached.</p>
      ) : (
        <ul class="entries">
          {files.map(({ version, at, by, file }) => (
            <li key={version}>
              <p dir="auto" class="entry-text">
                <a href={`/cases/${report_id}/files/${version}`} download>
                  {fileText(file)}
                </a>
              </p>
              <p class="quiet">
                {personText(by)}, <Moment at={at} />
              </p>
            </li>
          ))}
        </ul>
      )}
      {canChange ? (
        <Form call={call} action={`/reports/${report_id}/files`} class="share-form no-print" isMultipart>
          <input type="hidden" name="back" value="case" />
          <label for="file">PDF, PNG, JPEG or text, at most 2,000,000 bytes</label>
          <input
            id="file"
            name="file"
            type="file"
            accept=".pdf,.png,.jpg,.jpeg,.txt,.csv,.json,.eml"
            required
          />
          <button>Attach the file</button>
          <p class="quiet">
            It is stored sealed. Nobody can change or remove it; it is erased with the customer.
          </p>
        </Form>
      ) : null}
    </section>
  )
}

interface ReportsPanelProps {
  readonly id: string
  readonly title: string
  readonly reports: ReportPage | null
  readonly ownId: string
}

function ReportsPanel({ id, title, reports, ownId }: ReportsPanelProps) {
  const others = reports?.items.filter(({ report_id }) => report_id !== ownId) ?? []
  return (
    <section aria-labelledby={id} class="panel">
      <h2 id={id} dir="auto">
        {title}
      </h2>
      {reports === null ? (
        <Notice kind="fault">They cannot be read right now. Load the page again in a moment.</Notice>
      ) : others.length === 0 ? (
        <p class="empty">No other report exists.</p>
      ) : (
        <ul class="entries">
          {others.slice(0, MAX_REPORTS).map((report) => (
            <li key={report.report_id}>
              <Level level={report.risk.level} score={report.risk.score} />{' '}
              <a href={`/cases/${report.report_id}`}>
                <Moment at={report.generated_at} />
              </a>{' '}
              <code>{visibleText(report.address)}</code> <span class="tag">{visibleText(report.chain)}</span>
            </li>
          ))}
        </ul>
      )}
      {reports !== null && (reports.next_page_token !== null || others.length > MAX_REPORTS) ? (
        <p class="quiet">Older reports exist and are not shown here.</p>
      ) : null}
    </section>
  )
}
