/** The keys of a person whose groups are mapped to several keys. Each entry runs the sign-in once more, with the choice. */
import { visibleText } from '@cupel/reports/document'
import { queryText } from '@cupel/console'

export interface SignInKey {
  readonly key_id: string
  readonly key_name: string
  readonly account_name: string
  readonly livemode: boolean
  readonly scope: string
}

interface KeyChoiceProps {
  readonly choices: readonly SignInKey[]
  readonly next: string
}

export function KeyChoice({ choices, next }: KeyChoiceProps) {
  return (
    <section class="sign-in">
      <h1>How do you want to go on?</h1>
      <p>Your groups may use several keys. The session can do what the key can that you choose.</p>
      <ul class="choices">
        {choices.map(({ key_id, key_name, account_name, livemode, scope }) => (
          <li key={key_id}>
            <a href={`/sign-in/oidc${queryText({ key: key_id, next: next === '/' ? null : next })}`}>
              <strong>{visibleText(account_name)}</strong>
              <span>
                {livemode ? 'live' : 'sandbox'}, {scope}
              </span>
              <span class="quiet">
                Key <code>{key_id}</code>
                {key_name === '' ? null : ` ${visibleText(key_name)}`}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
