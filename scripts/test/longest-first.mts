/** The order of test files: workers are kept as long as possible, and no worker ends with a long file while others are idle. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longest } from './longest-files.mjs'

/**
 * Kinds of files that use the same workers, in the order in which they run. A worker ends when the next file needs a process of its own, or
 * has another kind. The next worker then loads the product again.
 */
const TURNS = [['e2e', 'kafka', 'containers'], ['int'], ['contract'], ['unit']]

/** By turn; within a turn the listed files in their order, then the others in the order they came in. */
export function longestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rankOf = (file: File): number => {
    const path = pathOf(file)
    const kind = /\.(\w+)\.test\.\w+$/.exec(path)?.[1] ?? ''
    const turn = TURNS.findIndex((kinds) => kinds.includes(kind))
    const place = longest.indexOf(path)
    return turn * (longest.length + 1) + (place === -1 ? longest.length : place)
  }
  return [...files].sort((a, b) => rankOf(a) - rankOf(b))
}

/** Vitest's own order keeps the files of a project together. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    return longestFirst(await super.sort(files), ({ moduleId }) => relative(root, moduleId))
  }
}
