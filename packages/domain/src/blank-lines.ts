/** Tells blank lines that are part of the layout of a file of one row per line from those that may be lost rows. */

export const BLANK_ROW = 'the line is blank, and the other rows have none between them: a row may be lost'

export interface BlankLines {
  blank(line: number): void
  row(): void
  /** At the end of the file: the blank lines, unless they belong to the layout. */
  inPlaceOfRows(end: { readonly lineBreak: boolean }): readonly number[]
}

/** Blank lines end rows only if equally many follow each row. Otherwise each may be what is left of a lost row. */
export function blankLines(): BlankLines {
  const lines: number[] = []
  let [rows, gap] = [0, 0]
  let usual: number | null = null
  let areUsual = true
  const endGap = (): void => {
    areUsual &&= gap === (rows === 0 ? 0 : (usual ??= gap))
    gap = 0
  }
  return {
    blank(line) {
      lines.push(line)
      gap += 1
    },
    row() {
      endGap()
      rows += 1
    },
    inPlaceOfRows({ lineBreak }) {
      if (lineBreak) endGap()
      return areUsual ? [] : lines
    },
  }
}
