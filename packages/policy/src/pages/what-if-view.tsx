/** The result of trying a policy: how many levels change, from which to which, and examples. */
import { amountText, en, nameOf, visibleText } from '@cupel/reports/document'
import { Level, Moment, Notice, ScrollTable } from '@cupel/console'
import type { LevelFlow } from './flow-layout.js'
import { LevelFlowPicture, LevelFlowTable } from './level-flow.js'
import { settingName, valueText } from './policy-settings.js'

interface Outcome {
  readonly level: string
  readonly score: number
  readonly decisive: string | null
}

export interface WhatIfAnswer {
  readonly findings: readonly { readonly severity: string; readonly path: string; readonly message: string }[]
  readonly settings: readonly { readonly path: string; readonly from: unknown; readonly to: unknown }[]
  readonly reports: number
  readonly undecidable: number
  readonly since: string | null
  readonly changed_levels: number
  readonly changed_scores: number
  readonly levels: readonly LevelFlow[]
  readonly examples: readonly {
    readonly report_id: string
    readonly address: string
    readonly chain: string
    readonly from: Outcome
    readonly to: Outcome
    readonly causes: readonly string[]
  }[]
  readonly examples_omitted: number
}

const number = (value: number): string => amountText(String(value))

export function WhatIfView({ answer }: { readonly answer: WhatIfAnswer }) {
  const { settings, reports, undecidable, since, levels, findings } = answer
  return (
    <section class="what-if">
      <h1>{headlineOf(answer)}</h1>
      <p class="quiet">
        {since === null ? (
          'No address was screened yet.'
        ) : (
          <>
            {number(reports)} {reports === 1 ? 'report was' : 'reports were'} decided again, back to{' '}
            <Moment at={since} />. Nothing was changed.
          </>
        )}
      </p>
      {undecidable === 0 ? null : (
        <Notice kind="hint">
          {number(undecidable)} {undecidable === 1 ? 'report' : 'reports'} could not be decided again and{' '}
          {undecidable === 1 ? 'is' : 'are'} not counted.
        </Notice>
      )}
      {findings.map(({ path, message }) => (
        <Notice kind="hint" key={path + message}>
          <strong>{visibleText(settingName(path))}</strong>: {message}
        </Notice>
      ))}
      {levels.length === 0 ? null : (
        <>
          <h2>From level to level</h2>
          <LevelFlowPicture flows={levels} />
          <LevelFlowTable flows={levels} />
        </>
      )}
      <Examples answer={answer} />
      <h2>Settings that differ</h2>
      {settings.length === 0 ? (
        <p class="empty">The proposed policy has the same settings as the current one.</p>
      ) : (
        <ScrollTable caption="Settings that differ" head={['Setting', 'Current', 'Proposed']}>
          {settings.map(({ path, from, to }) => (
            <tr key={path}>
              <th scope="row">{visibleText(settingName(path))}</th>
              <td>{visibleText(valueText(from))}</td>
              <td>{visibleText(valueText(to))}</td>
            </tr>
          ))}
        </ScrollTable>
      )}
    </section>
  )
}

function headlineOf({ reports, changed_levels, changed_scores }: WhatIfAnswer): string {
  if (reports === 0) return 'There is nothing to compare yet'
  const of = `${number(changed_levels)} of ${number(reports)} ${reports === 1 ? 'level' : 'levels'} would change`
  if (changed_scores === 0) return of
  return `${of}, and ${number(changed_scores)} ${changed_scores === 1 ? 'score' : 'scores'}`
}

function Examples({ answer: { examples, examples_omitted } }: { readonly answer: WhatIfAnswer }) {
  if (examples.length === 0) return null
  return (
    <>
      <h2>Reports whose level changes</h2>
      <ScrollTable
        caption="Reports whose level changes"
        head={['Current', 'Proposed', 'Address', 'Decided by', 'Because of']}
      >
        {examples.map(({ report_id, address, chain, from, to, causes }) => (
          <tr key={report_id}>
            <td>
              <Level level={from.level} score={from.score} />
            </td>
            <td>
              <Level level={to.level} score={to.score} />
            </td>
            <td>
              <a href={`/reports/${report_id}`}>
                <code>{visibleText(address)}</code>
              </a>{' '}
              <span class="tag">{visibleText(chain)}</span>
            </td>
            <td dir="auto">{decisiveText(to.decisive ?? from.decisive)}</td>
            <td>
              {causes.length === 0
                ? 'several settings together'
                : causes.map((path) => visibleText(settingName(path))).join(', ')}
            </td>
          </tr>
        ))}
      </ScrollTable>
      {examples_omitted === 0 ? null : <p class="quiet">And {number(examples_omitted)} more.</p>}
    </>
  )
}

/** `sanctions by us-ofac` → `Sanctions, OFAC`. */
function decisiveText(text: string | null): string {
  if (text === null) return '–'
  const [category = '', ...rest] = text.split(' by ')
  return [nameOf(en.categories, category), nameOf(en.origins, rest.join(' by '))].join(', ')
}
