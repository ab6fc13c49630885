/** Errors that an operator can correct: one sentence names the fault and the remedy, without a stack trace. */

/** Each kind has its own exit code, so that scripts can distinguish them. */
export const exitCodes = {
  'port-taken': 11,
  'permission-denied': 12,
  'broken-data-folder': 13,
  'home-in-use': 14,
  'java-missing': 15,
  'child-failed': 16,
  'download-failed': 17,
  'disk-full': 18,
} as const

export type LocalStackErrorCode = keyof typeof exitCodes

export class LocalStackError extends Error {
  override readonly name = 'LocalStackError'
  readonly code: LocalStackErrorCode
  constructor(code: LocalStackErrorCode, sentence: string, options?: { cause?: unknown }) {
    super(sentence, options)
    this.code = code
  }
  get exitCode(): number {
    return exitCodes[this.code]
  }
}

/** Null unless a program reported that the volume is full. This does not damage the program's data, which needs no repair. */
export function diskFull(program: string, folder: string, output: string): LocalStackError | null {
  if (!/no space left on device|disk quota exceeded/i.test(output)) return null
  return new LocalStackError(
    'disk-full',
    `${program} cannot write to ${folder}, because the volume is full: make room there and start again. The data needs no repair.`,
  )
}
