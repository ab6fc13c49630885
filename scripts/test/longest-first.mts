/** The order of test files: workers are kept as long as possible, and no worker ends with a long file while others are idle. */
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Kinds of files that use the same workers, in the order in which they run. A worker ends when the next file needs a process of its own, or
 * has another kind. The next worker then loads the product again.
 */
const TURNS = [['e2e', 'kafka', 'containers'], ['int'], ['contract'], ['unit']]

/** Files with one of these marks take long, the first ones longest. */
const MARKS = ['.long.', '.full.']

/** By turn; within a turn long files, then full ones, then the others, each in the order they came in. */
export function longestFirst<File>(files: readonly File[], pathOf: (file: File) => string): File[] {
  const rankOf = (file: File): number => {
    const path = pathOf(file)
    const kind = /\.(\w+)\.test\.\w+$/.exec(path)?.[1] ?? ''
    const turn = TURNS.findIndex((kinds) => kinds.includes(kind))
    const mark = MARKS.findIndex((each) => path.includes(each))
    return turn * (MARKS.length + 1) + (mark === -1 ? MARKS.length : mark)
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
