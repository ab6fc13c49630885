/** Colours of text for people. Standard output gets them only where it is a terminal and NO_COLOR is not set. */
import { styleText } from 'node:util'

export type Style = 'red' | 'yellow' | 'green' | 'gray' | 'bold' | 'dim'
export type Paint = (style: Style, text: string) => string

const plain: Paint = (_style, text) => text

/** The paint for an output. */
export function paintFor(
  output: { readonly isTTY?: boolean },
  environment: Readonly<NodeJS.ProcessEnv>,
): Paint {
  const isPlain = output.isTTY !== true || (environment['NO_COLOR'] ?? '') !== ''
  return isPlain ? plain : (style, text) => styleText(style, text, { validateStream: false })
}

/** Text of others without characters that a terminal obeys or that reverse its direction. */
export const printable = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}]/gu, '�')
