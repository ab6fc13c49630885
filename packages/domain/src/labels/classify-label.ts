/** Classifies a row of a list: its origin, kind, role and confidence. */
import { authorityOrigins, findOriginRow } from './origin-table.js'
import type { Role } from '../scorer/index.js'
import { confidenceLadder, isSubcategoryOf, type LabelKind, type Subcategory } from './vocabulary.js'

export interface ClassifiableRow {
  readonly source: string
  readonly sourceUrl: string
  readonly category: string
  readonly entity: string
  /** Parts per million, from the file; null if it gives none. */
  readonly confidencePpm: number | null
}

export interface LabelClass {
  readonly origin: string
  readonly kind: LabelKind
  readonly role: Role
  readonly confidencePpm: number
  /** The table's subcategory for the whole dataset; empty if it has none, or one of another category. */
  readonly subcategory: Subcategory | ''
}

/** Classifies a row by the origin table. A source that the table does not contain is an origin of its own, of kind `crowd`. */
export function classifyLabel(row: ClassifiableRow): LabelClass {
  const found = findOriginRow(row.source, row.sourceUrl)
  const kind = kindOf(found?.kind ?? 'crowd', row.category)
  return {
    origin: found?.origin ?? originOf(row.source),
    kind,
    role: found?.role ?? roleOf(row),
    confidencePpm: row.confidencePpm ?? confidenceLadder[kind],
    subcategory: subcategoryOf(found?.subcategory ?? '', row.category),
  }
}

/** Spellings of one name are one origin, so that they do not confirm each other. */
const originOf = (source: string): string =>
  source.normalize('NFKC').trim().replaceAll(/\s+/gu, ' ').toLowerCase() || source

const subcategoryOf = (known: string, category: string): Subcategory | '' =>
  isSubcategoryOf(known, category) ? known : ''

/** An authority designates only for sanctions. Its other statements about an address are official documents. */
function kindOf(kind: LabelKind, category: string): LabelKind {
  const isDesignating = kind === 'designation' || kind === 'restatement'
  return isDesignating && category !== 'sanctions' ? 'official_document' : kind
}

const disputedEntity = /white[ -]?hat|compromised/i
/** Contracts that belong to a mixer and do not mix. */
const mixerInfrastructure =
  /\btoken\b|\bvoucher\b|\bvesting\b|\bgovernance\b|\bverifier\b|\bposeidon\b|\bhasher\b/i

function roleOf({ category, entity, sourceUrl }: ClassifiableRow): Role {
  if (category === 'clean_exchange' || category === 'sanctions') return 'owner'
  if (disputedEntity.test(entity) || /\/compromised[./]/.test(sourceUrl)) return 'disputed'
  if (category === 'mixer' && mixerInfrastructure.test(entity)) return 'infrastructure'
  return 'owner'
}

/** The origin whose own list this source is, or null. Decides `LabelSetPublished.authorityOrigin`. */
export function authorityOriginOf(source: string): string | null {
  return Object.hasOwn(authorityOrigins, source) ? authorityOrigins[source]! : null
}

const spelling = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
const authoritySpellings: ReadonlyMap<string, string> = new Map(
  Object.entries(authorityOrigins).flatMap(([source, origin]) => [
    [spelling(source), source] as const,
    [spelling(origin), source] as const,
  ]),
)

/**
 * The source of an authority that another name reads like: its own name in another spelling, or the name of its origin. Null for every
 * other name, and for the exact one. Labels of such a source would count as restatements, or not as the authority's.
 */
export function authorityReadLike(source: string): string | null {
  const authority = authoritySpellings.get(spelling(source)) ?? null
  return authority === source ? null : authority
}
