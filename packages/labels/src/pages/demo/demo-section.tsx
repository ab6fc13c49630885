/** What the demo is, its addresses while it is on, and one press to turn it on or to remove it. */
import { Form, Notice, mayChange, mayOperate, type PageCall } from '@cupel/console'
import { Attempt } from '@cupel/screening/pages'
import { isChanging, type Demo } from './demo.js'

interface DemoSectionProps {
  readonly call: Pick<PageCall, 'csrf' | 'session'>
  readonly demo: Demo
}

export function DemoSection({ call, demo }: DemoSectionProps) {
  const isOn = demo.status === 'on'
  return (
    <section aria-labelledby="demo">
      <h2 id="demo">Demo</h2>
      {demo.fault === null ? null : <Notice kind="fault">{demo.fault}</Notice>}
      {isOn ? (
        <Notice kind="hint">
          The demo is on: its addresses have made-up labels and transfers. Their reports say so and are never
          green; no other address is affected.
        </Notice>
      ) : isChanging(demo) ? (
        <p role="status">
          {demo.status === 'loading' ? 'The demo is being loaded …' : 'The demo is being removed …'}
        </p>
      ) : (
        <p>
          A few made-up addresses show a report with a money path. Their reports say that they are made up,
          and no other address is affected.
        </p>
      )}
      {isOn && mayChange(call.session) ? (
        <Form call={call} action="/screen" class="examples">
          <Attempt />
          <input type="hidden" name="chain" value="ETH" />
          {demo.addresses.map(({ address, title }) => (
            <button key={address} class="plain" name="address" value={address}>
              {title}
            </button>
          ))}
        </Form>
      ) : null}
      {isChanging(demo) ? null : mayOperate(call.session) ? (
        <Form call={call} action="/demo">
          <input type="hidden" name="is_on" value={isOn ? 'no' : 'yes'} />
          <button class={isOn ? undefined : 'plain'}>{isOn ? 'Remove the demo' : 'Turn the demo on'}</button>
        </Form>
      ) : (
        <p class="quiet">
          An operator {isOn ? 'removes it here or with' : 'turns it on here or with'}{' '}
          <code>cupel demo {isOn ? 'remove' : 'load'}</code>.
        </p>
      )}
    </section>
  )
}
