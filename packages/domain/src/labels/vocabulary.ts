/** The words labels are made of. They are open in events and reports: a reader tolerates words it does not know. */

/**
 * What the entity has to do with the address.
 * `owner` controls it; `participant` used a service; `disputed`: the attribution or the guilt is contested;
 * `infrastructure`: a contract that belongs to a service without doing its work, such as its token.
 */
export const roles = ['owner', 'participant', 'disputed', 'infrastructure'] as const
export type Role = (typeof roles)[number]

/** What kind of knowledge a label rests on, with the confidence it has where the file gives none (ppm). */
export const confidenceLadder = {
  designation: 1_000_000,
  restatement: 500_000,
  official_document: 750_000,
  service_statement: 700_000,
  forensic: 900_000,
  trusted_provider: 500_000,
  crowd: 400_000,
  crawl: 200_000,
  heuristic: 100_000,
} as const satisfies Record<string, number>
export type LabelKind = keyof typeof confidenceLadder
