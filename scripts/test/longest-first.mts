/** Starts long test files first, so that no worker ends with a long file while others are idle. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longest } from './longest-files.mjs'

/** The listed files in their order, then the others in the order they came in. */
export function longestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rankOf = (file: File): number => {
    const place = longest.indexOf(pathOf(file))
    return place === -1 ? longest.length : place
  }
  return [...files].sort((a, b) => rankOf(a) - rankOf(b))
}

/** Vitest's own order keeps the files of a project together, so that they share workers. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    return longestFirst(await super.sort(files), ({ moduleId }) => relative(root, moduleId))
  }
}
