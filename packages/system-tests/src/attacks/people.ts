/** People who sign in with a sign-in service: one token once, and four eyes, also after a database came from a backup. */
import { createClient, type Answer } from '../client.js'
import { until } from '../until.js'
import type { Attack, Outcome } from './attack.js'
import { answerOf, asOwner, issueNamedKey, type StartSignInService, type Target } from './target.js'

const ADDRESS = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96'
const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const CASE_TOPIC = 'screening.case.events.v1'
/** A reader that has read nothing: the database is older than every record of a case. */
const BEHIND = 'attack.older-database.v1'
const LEVELS = 'green,orange,red,grey'
/** Only a hang takes longer. */
const TIMEOUT_MS = 120_000

type SignInService = Awaited<ReturnType<StartSignInService>>
type Group = 'desk' | 'review'

interface Office {
  readonly service: SignInService
  readonly settings: Readonly<Record<string, string>>
  /** The key of each group of people. */
  readonly keys: Readonly<Record<Group, string>>
}

/** Each attack restarts the installation, because the sign-in service is a setting. */
export const people: readonly Attack[] = [
  {
    name: 'one ID token in every spelling of its signature',
    threat: 'identity',
    isLong: true,
    run: (target) =>
      inOffice(target, async ({ service }) => {
        const { id_token, nonce } = await service.signIn({ groups: ['desk'] })
        const spellings = spellingsOf(id_token)
        const answers: Answer[] = []
        for (const spelled of spellings) answers.push(await signIn(target, { id_token: spelled, nonce }))
        const begun = answers.filter(({ status }) => status === 201).length
        return {
          limit: 'one session',
          measured: `${begun} of ${spellings.length} began one`,
          held: begun === 1 && spellings.length >= 21,
        }
      }),
  },
  {
    name: 'Ann confirms Ann, after cupel restore --older-database too',
    threat: 'identity',
    isLong: true,
    place: 'store',
    run: (target) =>
      inOffice(target, async (office) => {
        const cases = await propose(target, office)
        const before = await confirmed(target, office, cases)
        await loseCases(target, cases)
        await target.stop()
        const reason = 'the attack put an older database back'
        await answerOf(target.installation.home, ['restore', '--older-database', '--reason', reason])
        await target.start(office.settings)
        const after = await confirmed(target, office, cases)
        const bob = await session(target, office, { sub: 'bob', name: 'Bob', groups: ['desk'] })
        const control = await clear(target, bob, cases.ofAnn, 1)
        return {
          limit: 'none, and Bob may confirm her',
          measured: `${before.length} before and ${after.length} after it ${[...before, ...after].join(', ')}; Bob ${control.status}`,
          held: before.length === 0 && after.length === 0 && control.status === 200,
        }
      }),
  },
]

/** The attack on an installation where people of two groups sign in, and every report needs two persons. */
async function inOffice(target: Target, attack: (office: Office) => Promise<Outcome>): Promise<Outcome> {
  const { attacker, installation } = target
  const issue = () => issueNamedKey(installation.home, attacker.accountId, ['--scope', 'read-write'])
  const [desk, review] = [await issue(), await issue()]
  const service = await target.startSignInService()
  const file = service.settingsFile({ desk: desk.keyId, review: review.keyId })
  const settings = { CUPEL_OIDC_FILE: file, CUPEL_CASE_SECOND_PERSON: LEVELS }
  await target.stop()
  try {
    await target.start(settings)
    return await attack({ service, settings, keys: { desk: desk.key, review: review.key } })
  } finally {
    await target.stop()
    await target.start()
    await service.close()
  }
}

/** The token with every last character that decodes to its signature, and in ways to write base64 and texts that a lenient reader takes. */
function spellingsOf(idToken: string): readonly string[] {
  const head = idToken.slice(0, idToken.lastIndexOf('.') + 1)
  const signature = Buffer.from(idToken.slice(head.length), 'base64url')
  const [header, payload] = idToken.split('.')
  return [
    ...[...BASE64URL]
      .map((last) => idToken.slice(0, -1) + last)
      .filter((one) => Buffer.from(one.slice(head.length), 'base64url').equals(signature)),
    `${idToken}=`,
    `${idToken}==`,
    head + signature.toString('base64'),
    `${idToken}\n`,
    ` ${idToken}`,
    `${header}=.${payload}.${idToken.slice(head.length)}`,
  ].filter((one, at, all) => all.indexOf(one) === at)
}

async function call(target: Target, key: string, path: string, body: object): Promise<Answer> {
  const client = createClient([target.baseUrl], key)
  try {
    return await client.send('POST', path, JSON.stringify(body))
  } finally {
    await client.close()
  }
}

const signIn = (target: Target, body: object) => call(target, 'none', '/v1/sessions/oidc', body)

async function session(
  target: Target,
  { service }: Office,
  claims: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { status, text } = await signIn(target, await service.signIn(claims))
  if (status !== 201) throw new Error(`A sign-in is answered ${status}: ${text}`)
  return (JSON.parse(text) as { session_token: string }).session_token
}

const clear = (target: Target, key: string, reportId: string, version: number) =>
  call(target, key, `/v1/reports/${reportId}/disposition`, {
    ...{ disposition: 'cleared', reason: 'A refund', version },
  })

/** Reports that wait for a second person. */
interface Cases {
  readonly ofAnn: string
  readonly ofKey: string
}

async function propose(target: Target, office: Office): Promise<Cases> {
  const ann = await session(target, office, { sub: 'ann', name: 'Ann', groups: ['desk'] })
  const proposedBy = async (key: string): Promise<string> => {
    const { text } = await call(target, key, '/v1/screen', { address: ADDRESS })
    const { report_id: reportId } = JSON.parse(text) as { report_id: string }
    const { status, text: said } = await clear(target, key, reportId, 0)
    if (status !== 200) throw new Error(`A proposal is answered ${status}: ${said}`)
    return reportId
  }
  return { ofAnn: await proposedBy(ann), ofKey: await proposedBy(office.keys.desk) }
}

/** What confirmed a proposal of Ann, or of nobody, and is not a second person. */
async function confirmed(target: Target, office: Office, { ofAnn, ofKey }: Cases): Promise<string[]> {
  const annOf = (group: Group, name: string) => session(target, office, { sub: 'ann', name, groups: [group] })
  const tries = [
    ['Ann', await annOf('desk', 'Ann'), ofAnn],
    ['Ann by another name and group', await annOf('review', 'Ann Married'), ofAnn],
    ['a key without a person for Ann', office.keys.review, ofAnn],
    ['another key without a person', office.keys.review, ofKey],
    ['Ann for a key without a person', await annOf('review', 'Ann'), ofKey],
  ] as const
  const taken: string[] = []
  for (const [what, key, reportId] of tries) {
    const { status } = await clear(target, key, reportId, 1)
    if (status !== 409) taken.push(`${what} (${status})`)
  }
  return taken
}

/** Leaves the database without the cases, as one from before they began, once the log has them. */
async function loseCases(target: Target, { ofAnn, ofKey }: Cases): Promise<void> {
  const unrelayed = 'SELECT FROM projection.outbox WHERE relayed_at IS NULL'
  await until('an outbox that the log has', TIMEOUT_MS, async () => {
    await asOwner(target, `SELECT 1 / CASE WHEN EXISTS (${unrelayed}) THEN 0 ELSE 1 END`)
    return true
  })
  await asOwner(target, 'ALTER TABLE cases.entry DISABLE TRIGGER entry_stays')
  for (const table of ['entry', 'report_case'])
    await asOwner(target, `DELETE FROM cases.${table} WHERE report_id = ANY($1)`, [[ofAnn, ofKey]])
  await asOwner(target, 'ALTER TABLE cases.entry ENABLE TRIGGER entry_stays')
  await asOwner(
    target,
    `INSERT INTO projection.checkpoint (group_name, topic, partition, next, log)
     SELECT DISTINCT $1, topic, partition, 0, log FROM projection.checkpoint WHERE topic = $2
     ON CONFLICT (group_name, topic, partition) DO UPDATE SET next = 0`,
    [BEHIND, CASE_TOPIC],
  )
}
