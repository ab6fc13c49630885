/** GET /policy: every number of the judgement that an operator can set, and a form to try others. */
import { API_CHANGES, type ProposedChange } from '@cupel/gate/pages'
import type { PolicyDocument } from '@cupel/domain'
import { FieldList, ScrollTable, mayOperate, page, type ListPage, type Page } from '@cupel/console'
import { PolicyHistory } from './policy-history.js'
import type { PolicyActivation } from './policy-in-words.js'
import { settingSections, type SettingSection } from './policy-settings.js'
import { TryForms } from './try-forms.js'

export interface PolicyAnswer {
  readonly id: string
  readonly version: number
  readonly sha256: string
  readonly activated_at: string | null
  readonly document: PolicyDocument
}

export const showPolicy: Page = {
  method: 'GET',
  path: '/policy',
  access: 'session',
  async handle(call) {
    const { api, session } = call
    const none = { items: [] }
    const isOperator = mayOperate(session) && session?.livemode === true
    const [policy, { items: proposals }, { items: activations }] = await Promise.all([
      api.get<PolicyAnswer>('/v1/policy'),
      isOperator
        ? api.get<ListPage<ProposedChange>>(API_CHANGES, { change_kind: 'activate_policy', page_size: 10 })
        : none,
      isOperator ? api.get<ListPage<PolicyActivation>>('/v1/policy/activations', {}) : none,
    ])
    const since =
      policy.activated_at === null
        ? 'the sandbox has always had it'
        : policy.activated_at.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')
    return page(
      'Policy',
      <section>
        <h1>Policy</h1>
        <p class="quiet">
          Screenings are decided by this policy. One rule has no setting: an address that an authority’s own
          list designates scores 100 and is red.
        </p>
        <FieldList
          fields={[
            { label: 'Policy', value: `${policy.id}, version ${policy.version}` },
            { label: 'In force since', value: since },
            { label: 'SHA-256', value: policy.sha256, isCode: true },
          ]}
        />
        {isOperator ? <PolicyHistory {...{ proposals, activations }} /> : null}
        <p class="no-print">
          <a class="button plain" href="#try">
            Try other numbers
          </a>
        </p>
        {settingSections(policy.document).map((section) => (
          <Section key={section.name} section={section} />
        ))}
        <TryForms call={call} document={policy.document} state={null} />
      </section>,
      { section: '/policy' },
    )
  },
}

function Section({ section }: { readonly section: SettingSection }) {
  const { name, title, meaning, settings } = section
  return (
    <section aria-labelledby={`section-${name}`}>
      <h2 id={`section-${name}`}>{title}</h2>
      {meaning === '' ? null : <p class="quiet">{meaning}</p>}
      <ScrollTable caption={title} class="settings stacked" head={['Setting', 'Value', 'Meaning']}>
        {settings.map(({ path, value, meaning: what }) => (
          <tr key={path}>
            <th scope="row">
              <code>{path}</code>
            </th>
            <td class="number">{value}</td>
            <td>{what}</td>
          </tr>
        ))}
      </ScrollTable>
    </section>
  )
}
