/** Addresses to begin with: a button screens each. */
import { randomUUID } from 'node:crypto'
import { magicReports } from '@cupel/domain'
import { en, nameOf } from '@cupel/reports/document'
import { Form, Level, type PageCall, mayChange } from '@cupel/console'

export interface Example {
  readonly address: string
  /** What the reader learns from its report. */
  readonly title: string
}

/** The first three are among the starter labels; the last is in no list. */
export const liveExamples: readonly Example[] = [
  { address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96', title: 'A designated address' },
  { address: '0x910Cbd523D972eb0a6f4cAe4618aD62622b39DbF', title: 'A mixer' },
  { address: '0x28C6c06298d514Db089934071355E5743bf21d60', title: 'An exchange' },
  { address: '0x52908400098527886E0F7030069857D2E4169EE7', title: 'An address that no list names' },
]

interface ExamplesProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
}

export function Examples({ call }: ExamplesProps) {
  if (!mayChange(call.session)) return null
  return call.session?.livemode === false ? <SandboxExamples call={call} /> : <LiveExamples call={call} />
}

function LiveExamples({ call }: ExamplesProps) {
  return (
    <Form call={call} action="/screen" class="examples">
      <Attempt />
      {liveExamples.map(({ address, title }) => (
        <button key={address} class="plain" name="address" value={address}>
          {title}
        </button>
      ))}
    </Form>
  )
}

/** The addresses with a fixed meaning, each with the level that its report has. */
function SandboxExamples({ call }: ExamplesProps) {
  return (
    <Form call={call} action="/screen" class="examples">
      <Attempt />
      {[...magicReports].map(([address, { level, score, category }]) => (
        <button key={address} class="plain" name="address" value={address}>
          <Level level={level} score={score} /> {nameOf(en.categories, category)} <code>{address}</code>
        </button>
      ))}
    </Form>
  )
}

/** One press is one screen, however often its form is sent. */
export const Attempt = () => <input type="hidden" name="attempt" value={`${Date.now()}-${randomUUID()}`} />
