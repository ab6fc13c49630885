/** GET and POST /labels: the labels that the account states itself, and a form for one more. */
import { visibleText } from '@cupel/reports/document'
import {
  type ListPage,
  ApiProblem,
  Form,
  Moment,
  Notice,
  Pager,
  ScrollTable,
  fieldOf,
  page,
  redirect,
  type Page,
  type PageCall,
  type ShownPage,
  mayAdminister,
} from '@cupel/console'
import { OwnLabelForm, type OwnLabelFormState } from './own-label-form.js'
import {
  API_OWN_LABELS,
  authorText,
  decisionText,
  OWN_LABELS_PAGE,
  statusText,
  type OwnLabel,
} from './own-label.js'
import { SEARCH_PAGE } from './search-labels.js'

export const showOwnLabels: Page = {
  method: 'GET',
  path: OWN_LABELS_PAGE,
  access: 'session',
  handle: (call) =>
    labelsPage(call, {
      ...{ address: call.query.get('address') ?? '', chain: call.query.get('chain') ?? '' },
      ...{ statement: '', reason: '', expires: '', faults: [] },
    }),
}

export const stateOwnLabel: Page = {
  method: 'POST',
  path: OWN_LABELS_PAGE,
  access: 'session',
  async handle(call) {
    const field = (name: string): string => fieldOf(call.form, name).trim()
    const [address, chain, statement, reason] = ['address', 'chain', 'statement', 'reason'].map(field)
    const expires = field('expires')
    try {
      await call.api.send('POST', API_OWN_LABELS, {
        ...{ address, reason, decision: statement === 'allow' ? 'allow' : 'block' },
        ...(chain === '' ? {} : { chain }),
        ...(statement === 'allow' ? {} : { category: statement }),
        ...(expires === '' ? {} : { expires_at: endOfDay(expires) }),
      })
      return redirect(`${OWN_LABELS_PAGE}?stated`)
    } catch (error) {
      if (!(error instanceof ApiProblem) || ![400, 403].includes(error.status)) throw error
      const faults =
        error.errors.length === 0 ? [error.detail] : [...new Set(error.errors.map(({ detail }) => detail))]
      const state = {
        address: address!,
        chain: chain!,
        statement: statement!,
        reason: reason!,
        expires,
        faults,
      }
      return labelsPage(call, state, { status: error.status })
    }
  },
}

/** A text that is no day stays as it is: the API refuses it. */
function endOfDay(day: string): string {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000)
  return Number.isNaN(next.getTime()) ? day : next.toISOString()
}

export const removeOwnLabel: Page = {
  method: 'POST',
  path: `${OWN_LABELS_PAGE}/{label_id}/remove`,
  access: 'session',
  async handle({ api, path }) {
    await api.send('DELETE', `${API_OWN_LABELS}/${encodeURIComponent(path['label_id'] ?? '')}`)
    return redirect(`${OWN_LABELS_PAGE}?removed`)
  },
}

async function labelsPage(
  call: PageCall,
  state: OwnLabelFormState,
  { status = 200 } = {},
): Promise<ShownPage> {
  const { api, query } = call
  const { items, next_page_token: next } = await api.get<ListPage<OwnLabel>>(API_OWN_LABELS, {
    page_token: query.get('page_token'),
  })
  return page(
    'Your labels',
    <>
      <h1>Your labels</h1>
      <p class="quiet">
        What this account states about addresses itself. To see what lists state, use the{' '}
        <a href={SEARCH_PAGE}>search of labels</a>.
      </p>
      {query.has('stated') ? <Notice kind="done">The label counts from the next screen on.</Notice> : null}
      {query.has('removed') ? <Notice kind="done">The label counts no more.</Notice> : null}
      {items.length === 0 ? (
        <p class="empty">No label was stated yet.</p>
      ) : (
        <OwnLabelTable call={call} items={items} />
      )}
      <Pager path={OWN_LABELS_PAGE} query={query} next={next} />
      <OwnLabelForm call={call} state={state} />
    </>,
    { section: OWN_LABELS_PAGE, status },
  )
}

interface OwnLabelTableProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly items: readonly OwnLabel[]
}

function OwnLabelTable({ call, items }: OwnLabelTableProps) {
  const mayRemove = mayAdminister(call.session)
  const head = ['Statement', 'Address', 'Why', 'State', 'Stated', 'Expires', ...(mayRemove ? ['Change'] : [])]
  return (
    <ScrollTable caption="Your labels" class="stacked" head={head}>
      {items.map((label) => (
        <tr key={label.label_id}>
          <td>{decisionText(label)}</td>
          <td class="address" data-head="Address">
            <code>{visibleText(label.address)}</code> <span class="tag">{visibleText(label.chain)}</span>
          </td>
          <td dir="auto" data-head="Why">
            {visibleText(label.reason)}
          </td>
          <td data-head="State">{statusText(label.status)}</td>
          <td data-head="Stated">
            <Moment at={label.stated_at} /> by {authorText(label.stated_by)}
          </td>
          <td data-head="Expires">
            <Moment at={label.expires_at} otherwise="never" />
          </td>
          {mayRemove ? (
            <td>
              {label.removed_at === null ? (
                <Form call={call} action={`${OWN_LABELS_PAGE}/${encodeURIComponent(label.label_id)}/remove`}>
                  <button class="plain" aria-label={`Remove the label of ${visibleText(label.address)}`}>
                    Remove
                  </button>
                </Form>
              ) : null}
            </td>
          ) : null}
        </tr>
      ))}
    </ScrollTable>
  )
}
