/** The check of `cupel doctor` that e-mail leaves: the mail server takes the sign-in, and nothing is refused or waits. */
import { mailClientOf } from '@cupel/webhooks/worker'
import { readMailState } from '@cupel/webhooks'
import { fault, ok, warning, type Check, type Examined } from './examine.js'

const PAGE = 'docs/email.md'

export const mailCheck = ({ config, database }: Pick<Examined, 'config' | 'database'>): Check => ({
  name: 'e-mail',
  needs: ['database', 'tables'],
  async look() {
    const { recipients, unconfirmed, givenUp, failing } = await readMailState(database)
    const client = mailClientOf(config)
    if (client === null)
      return recipients === 0
        ? [ok('No mail server is set, and nobody is to get e-mail.')]
        : [
            fault(
              `${recipients} recipients wait for e-mail, and no mail server is set.`,
              'Set CUPEL_MAIL_HOST.',
            ),
          ]
    const why = await client.fault()
    const found = [
      ...(why === null
        ? []
        : [
            fault(
              `The mail server ${config.CUPEL_MAIL_HOST} cannot be used: ${why.replaceAll('_', ' ')}.`,
              PAGE,
            ),
          ]),
      ...(config.CUPEL_MAIL_INSECURE
        ? [warning('E-mail may be sent without verified TLS.', 'Unset CUPEL_MAIL_INSECURE.')]
        : []),
      ...(givenUp === 0
        ? []
        : [warning(`${givenUp} messages of the last day were refused or given up.`, PAGE)]),
      ...(failing === 0 ? [] : [warning(`${failing} messages wait after a failed attempt.`, PAGE)]),
    ]
    if (found.length > 0) return found
    return [
      ok(
        `The mail server takes messages for ${recipients} recipients, of whom ${unconfirmed} have not confirmed.`,
      ),
    ]
  },
})
