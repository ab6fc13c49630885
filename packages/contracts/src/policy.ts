/** The policy document as operators write it: one zod schema is validation, type and published JSON Schema. */
import { z } from 'zod'

const fraction = (meaning: string) =>
  z.number().min(0).max(1).describe(`${meaning} 0 to 1, at most 6 decimals.`)
const points = (meaning: string) =>
  z.number().gt(0).max(100).describe(`${meaning} Points above 0 to 100, at most two decimals.`)
const hours = (meaning: string) => z.number().gt(0).describe(`${meaning} Hours.`)

export const requiredListSchema = z.strictObject({
  origin: z.string().min(1).describe('Origin of the authority whose own list is required, such as us-ofac.'),
  when: z
    .enum(['always', 'once_published'])
    .describe('always: its absence counts as stale. once_published: required from its first import on.'),
})

const cappedPoints = (meaning: string) =>
  z.number().min(0).max(100).describe(`${meaning} Points from 0 to 100, at most two decimals.`)
const caps = (relation: string) =>
  z
    .strictObject({ in: cappedPoints('Value that came in.'), out: cappedPoints('Value that went out.') })
    .describe(`Highest points of ${relation} exposure.`)
const capsOfCategory = z.strictObject({ direct: caps('direct'), indirect: caps('indirect') })
const band = (of: string) =>
  z
    .strictObject({ from: fraction('Share at which points begin.'), to: fraction('Share of full points.') })
    .describe(`Share of all value, for ${of}; begins below its end.`)
const count = (least: number, most: number, meaning: string) =>
  z.int().min(least).max(most).describe(`${meaning} A whole number from ${least} to ${most}.`)

/** The part that judges exposure. */
const exposureSchema = z
  .strictObject({
    method: z.enum(['haircut', 'fifo', 'poison']).describe('How value is followed through an intermediary.'),
    hops: count(1, 4, 'Transfers between the address and a source, at most.'),
    caps: z.strictObject({
      sanctions: capsOfCategory,
      darknet: capsOfCategory,
      mixer: capsOfCategory,
      scam: capsOfCategory,
      stolen: capsOfCategory,
    }),
    pre_designation_cap: cappedPoints('Cap of what is known to have moved before the designation.'),
    direct_sanctions_minimum: cappedPoints('Least points of direct sanctions exposure.'),
    unproven_maximum: cappedPoints('Most weighted points where the execution of a transfer is not proven.'),
    severe: z
      .strictObject({
        minimum: cappedPoints('Least weighted points of what was paid to them directly.'),
        cap: cappedPoints('Cap of what was paid to them directly, where the category’s own is lower.'),
      })
      .describe('Ransomware, terrorist financing and child sexual abuse material.'),
    coinjoin_maximum: cappedPoints('Most weighted points of value that passed through a CoinJoin.'),
    source_confidence: fraction('Sources below are shown and not scored.'),
    service_confidence: fraction('Owners of a service from here on end a path.'),
    clean_service_confidence: fraction('Clean services from here on are not scored by what passes through.'),
    share: z.strictObject({ sanctions: band('sanctions'), other: band('the other categories') }),
    size_decades: count(1, 12, 'Powers of ten of dust after which size counts in full.'),
    size_factor: z.strictObject({
      sanctions: fraction('Worth of the size by itself, for sanctions.'),
      other: fraction('Worth of the size by itself, for the other categories.'),
    }),
    history_max_age_hours: count(1, 720, 'Hours by which the end of a complete history may lie back.'),
    limits: z
      .strictObject({
        transfers: count(1, 20_000, 'Transfers of the screened address that are read.'),
        intermediaries: count(0, 1_000, 'Addresses that paths are followed through.'),
        transfers_per_intermediary: count(1, 5_000, 'Transfers of one such address.'),
        transfers_of_intermediaries: count(0, 50_000, 'Transfers of all of them together.'),
        hub_counterparties: count(1, 100_000, 'Unlabelled addresses with more counterparties end a path.'),
        paths: count(0, 20, 'Recorded paths of each exposure.'),
      })
      .describe('Counts, never time: the same ledger gives the same answer on a slow machine.'),
  })
  .describe('How exposure is judged.')

const recommendation = (meaning: string, allowed: readonly ['allow'] | readonly [] = []) =>
  z
    .enum([...allowed, 'review', 'reject'])
    .describe(`${meaning} ${[...allowed, 'review', 'reject'].join(', ')}.`)

/** The part that recommends what to do with a transfer. */
const transfersSchema = z
  .strictObject({
    levels: z
      .strictObject({
        green: recommendation('For a green counterparty.', ['allow']),
        grey: recommendation('For a grey counterparty.'),
        orange: recommendation('For an orange counterparty.', ['allow']),
        red: recommendation('For a red counterparty.'),
      })
      .describe('The recommendation by the level of the counterparty; never better for a worse level.'),
    designated: recommendation('For a counterparty that an authority itself designates.'),
    illicit_share: fraction(
      'Share of illicit value in funds like those of the transfer that asks for a review.',
    ),
    unread_hash: recommendation(
      'For a transaction hash that the ledger does not have; review if it is absent.',
    ).optional(),
  })
  .describe('The recommendations for a transfer. A policy without this part has the default one.')

/** An unknown setting is rejected, because it would have no effect and its author may expect one. */
export const policyDocumentSchema = z
  .strictObject({
    id: z.string().min(1).max(100).describe('Name of the policy.'),
    version: z.int().min(1).max(2_147_483_647).describe('Number of this text; higher with every change.'),
    levels: z
      .strictObject({
        orange: points('Lowest score of orange.'),
        red: points('Lowest score of red; above orange.'),
      })
      .describe('Bands of the level. Below orange an address is green or grey.'),
    weights: z
      .strictObject({
        sanctions: fraction('Weight of sanctions.'),
        darknet: fraction('Weight of darknet.'),
        mixer: fraction('Weight of mixer.'),
        scam: fraction('Weight of scam.'),
        stolen: fraction('Weight of stolen.'),
      })
      .describe('Factor of each category in the overall score, which is the highest weighted category.'),
    roles: z
      .strictObject({
        owner: fraction('Who controls the address.'),
        participant: fraction('Who used the service with it.'),
        disputed: fraction('Whose part is disputed, such as a whitehat.'),
        infrastructure: fraction('The base of a service, such as its token contract.'),
      })
      .describe('Factor of each role in a label’s confidence.'),
    ownership: z
      .strictObject({
        minimum_confidence: fraction('Labels below are shown and not used.'),
        combined_from: fraction('Origins from here on are combined.'),
        combined_cap: fraction('The most that several origins together come to.'),
      })
      .describe('How labels of the address itself count.'),
    green: z
      .strictObject({
        clean_confidence: fraction('Clean attribution from which an address is green without chain data.'),
        attributed_share: fraction('Share of what came in that clean services or issuance must explain.'),
        doubtful_share: fraction(
          'Share of what came in from which weak sources or illicit dust forbid green.',
        ),
      })
      .describe('The facts that green needs.'),
    freshness: z
      .strictObject({
        required: z
          .array(requiredListSchema)
          .describe('Lists that must be fresh, in addition to those with a refresh configured.'),
        max_age_hours: hours('Age from which a required list is stale.'),
        max_age_hours_by_origin: z
          .record(z.string().min(1), z.number().gt(0))
          .describe('The same by origin of the authority. Hours.'),
      })
      .describe('Lists that must be fresh before anything is green.'),
    exposure: exposureSchema,
    cluster: z
      .strictObject({
        confidence_factor: fraction('Factor of the confidence of a label of another member.'),
        maximum: cappedPoints('Most weighted points of labels of other members.'),
        addresses: count(2, 1_000_000, 'Labels of a cluster with more addresses do not count.'),
      })
      .describe('How labels of addresses count that spent together with the screened one.'),
    transfers: transfersSchema.optional(),
  })
  .meta({
    title: 'Cupel policy',
    description:
      'Every number of the judgement that is not fixed. The score of a live designation by an authority’s own list is ' +
      'fixed at 100 and red; no setting changes it.',
  })

/** JSON Schema, draft 2020-12, of a policy document. */
export function policyJsonSchema(): unknown {
  return z.toJSONSchema(policyDocumentSchema)
}

export interface PolicySchemaFault {
  /** Names from the root, joined by dots; empty for the document itself. */
  readonly path: string
  readonly message: string
  /** Settings that do not exist. */
  readonly unknown: readonly string[]
}

/** The faults of a parsed JSON text as a policy document; empty for a valid form. */
export function policySchemaFaults(document: unknown): readonly PolicySchemaFault[] {
  const parsed = policyDocumentSchema.safeParse(document)
  if (parsed.success) return []
  return parsed.error.issues.map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.message,
    unknown: issue.code === 'unrecognized_keys' ? issue.keys : [],
  }))
}
