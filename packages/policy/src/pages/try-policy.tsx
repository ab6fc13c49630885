/** POST /policy/what-if: decides the newest reports again with another policy. */
import { policyDocumentSchema } from '@cupel/contracts'
import { strictJsonFault, type PolicyDocument } from '@cupel/domain'
import {
  ApiProblem,
  fieldOf,
  mayOperate,
  page,
  type Page,
  type PageCall,
  type ShownPage,
} from '@cupel/console'
import { ProposeForm } from './policy-history.js'
import { simpleSettings, withNumbers } from './policy-settings.js'
import type { PolicyAnswer } from './show-policy.js'
import { DEFAULT_REPORTS, TryForms, type TryState } from './try-forms.js'
import { WhatIfView, type WhatIfAnswer } from './what-if-view.js'

const BAD_REQUEST = 400
const UNAVAILABLE = 503

export const tryPolicy: Page = {
  method: 'POST',
  path: '/policy/what-if',
  access: 'session',
  async handle(call) {
    const { document } = await call.api.get<PolicyAnswer>('/v1/policy')
    const state = stateOf(call.form)
    const proposed = proposalOf(document, state)
    if ('faults' in proposed)
      return formPage(call, document, { ...state, faults: proposed.faults }, BAD_REQUEST)
    try {
      const answer = await call.api.send<WhatIfAnswer>('POST', '/v1/policy/what-if', {
        policy: proposed.policy,
        max_reports: Number(state.maxReports),
      })
      return page(
        'What if',
        <>
          <WhatIfView answer={answer} />
          {mayOperate(call.session) && call.session?.livemode === true && answer.settings.length > 0 ? (
            <ProposeForm call={call} text={JSON.stringify(proposed.policy)} />
          ) : null}
          <TryForms call={call} document={document} state={state} />
        </>,
        { section: '/policy' },
      )
    } catch (error) {
      if (!(error instanceof ApiProblem) || ![BAD_REQUEST, UNAVAILABLE].includes(error.status)) throw error
      return formPage(call, document, { ...state, faults: faultsOf(error) }, error.status)
    }
  },
}

function stateOf(form: FormData): TryState {
  const maxReports = fieldOf(form, 'max_reports').trim()
  return {
    numbers: new Map(simpleSettings.map((path) => [path, fieldOf(form, path).trim()])),
    text: form.has('document') ? fieldOf(form, 'document') : null,
    maxReports: /^\d{1,6}$/.test(maxReports) ? maxReports : String(DEFAULT_REPORTS),
    faults: [],
  }
}

type Proposal = { readonly policy: PolicyDocument } | { readonly faults: readonly string[] }

function proposalOf(current: PolicyDocument, { numbers, text }: TryState): Proposal {
  return text === null ? fromNumbers(current, numbers) : fromText(text)
}

function fromNumbers(current: PolicyDocument, entered: ReadonlyMap<string, string>): Proposal {
  const given = [...entered].filter(([, value]) => value !== '')
  const faults = given
    .filter(([, value]) => !/^\d+(?:[.,]\d+)?$/.test(value))
    .map(([path]) => `${path}: Enter a number, such as 25 or 0.8.`)
  if (faults.length > 0) return { faults }
  // Many countries write a comma before the decimals.
  const numbers = given.map(([path, value]) => [path, Number(value.replace(',', '.'))] as const)
  return { policy: withNumbers(current, new Map(numbers)) }
}

function fromText(text: string): Proposal {
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    return { faults: [`The text is not JSON: ${error instanceof Error ? error.message : String(error)}`] }
  }
  const doubtful = strictJsonFault(text, 'The policy')
  if (doubtful !== null) return { faults: [`${doubtful.pointer}: ${doubtful.detail}`] }
  const parsed = policyDocumentSchema.safeParse(document)
  if (parsed.success) return { policy: parsed.data as PolicyDocument }
  return { faults: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}.`) }
}

/** `/policy/levels/red` → `levels.red`. */
const settingAt = (pointer: string): string => pointer.replace(/^\/policy\/?/, '').replaceAll('/', '.')

function faultsOf({ detail, errors, retryAfterSeconds }: ApiProblem): readonly string[] {
  if (errors.length > 0)
    return errors.map((error) =>
      [settingAt(error.pointer), error.detail].filter((text) => text !== '').join(': '),
    )
  return [retryAfterSeconds === null ? detail : `${detail} Try again in ${retryAfterSeconds} s.`]
}

function formPage(call: PageCall, document: PolicyDocument, state: TryState, status: number): ShownPage {
  return page(
    'What if',
    <section>
      <h1>The policy could not be tried</h1>
      <TryForms call={call} document={document} state={state} />
      <p>
        <a href="/policy">Back to the policy</a>
      </p>
    </section>,
    { section: '/policy', status },
  )
}
