/** A label that an account states itself, as a decision takes it. */
import { OWN_KIND, type LabelFacts } from '../scorer/index.js'

/** Source, dataset and origin: all labels of an account have one origin. */
export const OWN_LABEL_SOURCE = 'own_label'

/** As sure as a statement of an investigator. Parts per million. */
const OWN_CONFIDENCE_PPM = 900_000

const entities: Readonly<Record<string, string>> = { block: 'Own block label', allow: 'Own allow label' }

/** The reason stays with the label: a report is passed on, and the words of the account are not. Times are UTC, RFC 3339. */
export function ownLabelFacts(label: {
  readonly labelId: string
  readonly decision: string
  readonly category: string
  readonly chain: string
  readonly canonicalAddress: string
  readonly statedAt: string
  readonly expiresAt: string | null
}): LabelFacts {
  return {
    labelId: label.labelId,
    source: OWN_LABEL_SOURCE,
    dataset: OWN_LABEL_SOURCE,
    chain: label.chain,
    address: label.canonicalAddress,
    category: label.category,
    subcategory: '',
    role: 'owner',
    entity: entities[label.decision] ?? '',
    origin: OWN_LABEL_SOURCE,
    kind: OWN_KIND,
    confidencePpm: OWN_CONFIDENCE_PPM,
    sourceUrl: '',
    observedAt: label.statedAt,
    validFrom: null,
    validTo: label.expiresAt,
    sanction: null,
    knownFrom: label.statedAt,
    knownTo: null,
  }
}
