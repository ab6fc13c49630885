/** The first minutes of an installation: the steps from nothing to a report that can be green. */
import type { Report } from '@cupel/contracts'
import { visibleText } from '@cupel/reports/document'
import { Form, type PageCall, mayChange, mayOperate } from '@cupel/console'
import { Attempt, Examples } from '@cupel/screening/pages'

interface FirstStepsProps {
  readonly call: Pick<PageCall, 'csrf' | 'session' | 'hasPage'>
  /** Whether the lists allow green: a whole one is in force, and each required one can be relied on. */
  readonly mayBeGreen: boolean
  /** The newest reports, newest first. */
  readonly reports: readonly Report[]
}

export function FirstSteps({ call, mayBeGreen, reports }: FirstStepsProps) {
  const isSandbox = call.session?.livemode === false
  return (
    <section aria-labelledby="first-steps">
      <h2 id="first-steps">First steps</h2>
      <ol class="steps">
        <li>
          <p>
            {isSandbox
              ? 'Screen an address that has a fixed meaning in the sandbox.'
              : 'Screen an example, and read why its report says what it says.'}
          </p>
          <Examples call={call} />
        </li>
        {isSandbox ? null : (
          <li>
            {mayBeGreen ? (
              <p>The required sanctions lists are in force, so reports can be green.</p>
            ) : (
              <LoadList call={call} />
            )}
          </li>
        )}
        <li>
          {isSandbox ? null : (
            <>
              <p>
                Screen the same address again. With the list in force the example of an exchange is green.
              </p>
              <Again call={call} reports={reports} />
            </>
          )}
          <p>
            {call.hasPage('/watches') ? (
              <>
                <a href="/watches">Watch an address</a>: it is screened again after each change that can
                affect its report. Or <a href="/bulk">upload a list</a> of many.
              </>
            ) : (
              <>
                <a href="/bulk">Upload a list</a> of many.
              </>
            )}
          </p>
        </li>
      </ol>
    </section>
  )
}

function LoadList({ call }: Pick<FirstStepsProps, 'call'>) {
  if (!mayOperate(call.session))
    return (
      <>
        <p>Allow green results: an operator loads the OFAC list here, or with this command.</p>
        <pre>
          <code>npm run --silent cupel -- labels refresh --plan data/refresh-ofac.json</code>
        </pre>
      </>
    )
  return (
    <>
      <p>
        Allow green results: load the OFAC list. Cupel asks the server of OFAC for the public list of
        sanctioned parties, and sends nothing of yours. The next page shows what would change before you
        confirm it.
      </p>
      <Form call={call} action="/lists/imports">
        <input type="hidden" name="format" value="ofac-advanced-xml" />
        <input type="hidden" name="dataset" value="sdn" />
        <input type="hidden" name="fetch" value="ofac" />
        <button>Load the OFAC list</button>
      </Form>
      <p class="quiet">
        Or <a href="/lists#import">import the file</a> that OFAC publishes. A list grows old:{' '}
        <code>npm run --silent cupel -- labels refresh --plan data/refresh-ofac.json</code> and a schedule
        keep it fresh.
      </p>
    </>
  )
}

const MOST_AGAIN = 4

/** The addresses that were screened last, each once. */
function Again({ call, reports }: Pick<FirstStepsProps, 'call' | 'reports'>) {
  const addresses = [...new Set(reports.map(({ address }) => address))].slice(0, MOST_AGAIN)
  if (addresses.length === 0 || !mayChange(call.session)) return null
  return (
    <Form call={call} action="/screen" class="examples">
      <Attempt />
      {addresses.map((address) => (
        <button key={address} class="plain" name="address" value={address}>
          Screen again: <code>{visibleText(address)}</code>
        </button>
      ))}
    </Form>
  )
}
