/** The progress of a job in one line. */
export interface JobProgress {
  readonly status: string
  readonly total: number
  readonly completed: number
  readonly failed: number
  readonly cancelled: number
}

const BAR_CHARACTERS = 30

/** `[██████████          ] 333/1000, 2 failed, running` */
export function progressLine({ status, total, completed, failed, cancelled }: JobProgress): string {
  const done = completed + failed + cancelled
  const filled = total === 0 ? BAR_CHARACTERS : Math.floor((done / total) * BAR_CHARACTERS)
  const bar = '█'.repeat(filled).padEnd(BAR_CHARACTERS)
  const remarks = [
    failed > 0 ? `${failed} failed` : '',
    cancelled > 0 ? `${cancelled} cancelled` : '',
    status.replaceAll('_', ' '),
  ]
  return `[${bar}] ${done}/${total}, ${remarks.filter((remark) => remark !== '').join(', ')}`
}

/** On a terminal updates one line; elsewhere prints a line for each change. */
export function createProgressBar(terminal: { readonly isTTY?: boolean; write(text: string): unknown }): {
  show(progress: JobProgress): void
  end(): void
} {
  let shown = ''
  return {
    show(progress) {
      const line = progressLine(progress)
      if (line === shown) return
      shown = line
      // Move to the start of the line and erase it (ECMA-48, EL).
      terminal.write(terminal.isTTY === true ? `\r\u001b[2K${line}` : `${line}\n`)
    },
    end() {
      if (shown !== '' && terminal.isTTY === true) terminal.write('\n')
    },
  }
}
