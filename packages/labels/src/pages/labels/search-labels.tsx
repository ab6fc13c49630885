/** GET /labels/search: which labels lists state about an address, of a list, of a category or about an owner. */
import { categories } from '@cupel/domain'
import { amountText, en, nameOf, setName, visibleText } from '@cupel/reports/document'
import {
  type ListPage,
  ApiProblem,
  Moment,
  Notice,
  Pager,
  ScrollTable,
  page,
  type Page,
} from '@cupel/console'
import { ChainChoice } from './own-label-form.js'
import { OWN_LABELS_PAGE } from './own-label.js'

export const SEARCH_PAGE = '/labels/search'

interface Label {
  readonly label_id: string
  readonly address: string
  readonly chain: string
  readonly category: string
  readonly entity: string
  readonly source: string
  readonly dataset: string
  readonly confidence: number
  readonly status: string
  readonly valid_from: string | null
  readonly known_from: string
  readonly known_to: string | null
}

const fields = ['address', 'chain', 'source', 'dataset', 'category', 'entity'] as const

export const searchLabels: Page = {
  method: 'GET',
  path: SEARCH_PAGE,
  access: 'session',
  async handle({ api, query, session }) {
    const asked = Object.fromEntries(fields.map((name) => [name, (query.get(name) ?? '').trim()]))
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''))
    const isAsked = Object.keys(given).length > 0
    let found: ListPage<Label> = { items: [], next_page_token: null }
    let fault: string | null = null
    try {
      if (isAsked)
        found = await api.get<ListPage<Label>>('/v1/labels', {
          ...given,
          page_token: query.get('page_token'),
        })
    } catch (error) {
      if (!(error instanceof ApiProblem) || error.status !== 400) throw error
      fault = error.errors[0]?.detail ?? error.detail
    }
    return page(
      'Labels of lists',
      <>
        <h1>Labels of lists</h1>
        <p class="quiet">
          Which labels an address has, from which list and since when. Labels that ended are shown too. What
          the account states itself is under <a href={OWN_LABELS_PAGE}>your labels</a>.
        </p>
        {session?.livemode === false ? <Notice kind="hint">The sandbox reads no lists.</Notice> : null}
        <SearchForm asked={asked} />
        {fault === null ? null : <Notice kind="fault">{fault}</Notice>}
        {isAsked && fault === null ? <Found {...found} /> : null}
        <Pager path={SEARCH_PAGE} query={query} next={found.next_page_token} isSearch />
      </>,
      { section: OWN_LABELS_PAGE, status: fault === null ? 200 : 400 },
    )
  },
}

function SearchForm({ asked }: { readonly asked: Readonly<Record<string, string>> }) {
  const text = (name: string, label: string) => (
    <div>
      <label for={name}>{label}</label>
      <input id={name} name={name} value={asked[name]} autocomplete="off" spellcheck={false} />
    </div>
  )
  return (
    <form method="get" action={SEARCH_PAGE} class="narrow">
      {text('address', 'Address')}
      <ChainChoice chain={asked['chain'] ?? ''} />
      <div class="columns">
        {text('source', 'Publisher')}
        {text('dataset', 'List of the publisher')}
      </div>
      <div class="columns">
        {text('entity', 'Owner, from the beginning of the name')}
        <div>
          <label for="category">Category</label>
          <select id="category" name="category">
            <option value="">Any</option>
            {categories.map((category) => (
              <option key={category} value={category} selected={asked['category'] === category}>
                {nameOf(en.categories, category)}
              </option>
            ))}
          </select>
        </div>
      </div>
      <p class="actions">
        <button>Search</button>
      </p>
    </form>
  )
}

const statuses: Readonly<Record<string, string>> = {
  listed: 'listed',
  ended: 'no longer listed',
  historical: 'only in an older list',
}

function Found({ items, next_page_token: next }: ListPage<Label>) {
  if (items.length === 0)
    return (
      <p class="empty" role="status">
        {next === null
          ? 'No list states such a label. That does not say that an address is safe.'
          : 'None so far; the search goes on with the next page.'}
      </p>
    )
  return (
    <ScrollTable
      caption="Labels"
      class="stacked"
      head={[
        'Category',
        'Address',
        'Owner',
        'List',
        'State',
        'Known since',
        'Valid since',
        { number: 'Confidence' },
      ]}
    >
      {items.map((label) => (
        <tr key={label.label_id}>
          <td>{nameOf(en.categories, label.category)}</td>
          <td class="address" data-head="Address">
            <code>{visibleText(label.address)}</code> <span class="tag">{visibleText(label.chain)}</span>
          </td>
          <td dir="auto" data-head="Owner">
            {label.entity === '' ? '–' : visibleText(label.entity)}
          </td>
          <td dir="auto" data-head="List">
            {setName(label)}
            <br />
            <code class="quiet">{visibleText(label.source)}</code>
          </td>
          <td data-head="State">
            {statuses[label.status] ?? visibleText(label.status)}
            {label.known_to === null ? null : (
              <>
                {' '}
                since <Moment at={label.known_to} />
              </>
            )}
          </td>
          <td data-head="Known since">
            <Moment at={label.known_from} />
          </td>
          <td data-head="Valid since">
            <Moment at={label.valid_from} otherwise="not stated" />
          </td>
          <td class="number" data-head="Confidence">
            {amountText(String(label.confidence))}
          </td>
        </tr>
      ))}
    </ScrollTable>
  )
}
