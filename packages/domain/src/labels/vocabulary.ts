/** The kinds of knowledge behind labels. The words are open: a reader tolerates unknown words. */

/** The kind of knowledge behind a label, with its confidence if the file gives none (ppm). */
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

/** Finer kinds, each with the one category it belongs to. */
export const subcategories = {
  ransomware: 'scam',
  sextortion: 'scam',
  investment_fraud: 'scam',
  phishing: 'scam',
  address_poisoning: 'scam',
  hack: 'stolen',
  terrorist_financing: 'darknet',
  csam: 'darknet',
} as const satisfies Record<string, string>
export type Subcategory = keyof typeof subcategories

/** Whether a text is a subcategory of this category. */
export function isSubcategoryOf(text: string, category: string): text is Subcategory {
  return Object.hasOwn(subcategories, text) && subcategories[text as Subcategory] === category
}
