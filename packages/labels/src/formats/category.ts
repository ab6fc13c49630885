import { categories, type Category } from '@cupel/contracts'

const knownCategories: ReadonlySet<string> = new Set(categories)

export function isCategory(text: string): text is Category {
  return knownCategories.has(text)
}
