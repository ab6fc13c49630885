/** What kinds of knowledge labels rest on. The words are open: a reader tolerates words it does not know. */

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
