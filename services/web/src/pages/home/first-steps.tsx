/** The first minutes of an installation: the steps from nothing to a report that can be green. */
import { Examples } from '../screen/examples.js'
import { mayOperate } from '../../session/rights.js'
import type { PageCall } from '../../server/page.js'

interface FirstStepsProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  /** Whether the lists allow green: a whole one is in force, and each required one can be relied on. */
  readonly mayBeGreen: boolean
}

export function FirstSteps({ call, mayBeGreen }: FirstStepsProps) {
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
              <>
                <p>
                  Allow green reports: the operator loads the list of OFAC with this command. Then screen the
                  same address again.
                </p>
                <pre>
                  <code>npm run --silent cupel -- labels refresh --plan data/refresh-ofac.json</code>
                </pre>
                {mayOperate(call.session) ? (
                  <p>
                    Or <a href="/lists#import">import the file</a> that OFAC publishes.
                  </p>
                ) : null}
              </>
            )}
          </li>
        )}
        <li>
          <p>
            <a href="/watches">Watch an address</a>: it is screened again after each change that can affect
            its report. Or <a href="/bulk">upload a list</a> of many.
          </p>
        </li>
      </ol>
    </section>
  )
}
