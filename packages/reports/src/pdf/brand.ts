/**
 * The name and the logo of the operator at the top of a PDF. They are attached to it, so that whoever checks the document can render it again.
 * A logo is an image and nothing else: what could load, run or hide something is refused.
 */

export interface Brand {
  /** Empty for none. */
  readonly name: string
  /** A data URL of a PNG, or the text of an SVG; null for none. */
  readonly logo: { readonly kind: 'png' | 'svg'; readonly content: string } | null
}

export const MAX_LOGO_BYTES = 65_536
export const MAX_NAME_CHARACTERS = 80
/** Pixels of a side of a PNG. */
const MAX_PIXELS = 2_000
const PNG_URL = 'data:image/png;base64,'

/** The setting is unusable; the message gives the reason in one sentence. */
export class BrandError extends Error {
  override readonly name = 'BrandError'
}

/** Throws BrandError. */
export function brandOf(name: string, logo: Uint8Array | null): Brand {
  const fault = faultOfName(name)
  if (fault !== null) throw new BrandError(fault)
  return { name, logo: logo === null ? null : logoOf(Buffer.from(logo)) }
}

/** The brand that a document names, checked like a setting. Throws BrandError. */
export function parseBrand(text: string): Brand {
  const { name, logo } = JSON.parse(text) as Brand
  if (typeof name !== 'string') throw new BrandError('The brand of the document has no name.')
  if (logo === null) return brandOf(name, null)
  const { kind, content } = logo
  const bytes =
    kind === 'png'
      ? Buffer.from(String(content).slice(PNG_URL.length), 'base64')
      : Buffer.from(String(content))
  return brandOf(name, bytes)
}

function faultOfName(name: string): string | null {
  if ([...name].length > MAX_NAME_CHARACTERS)
    return `The name has more than ${MAX_NAME_CHARACTERS} characters.`
  return /[\p{C}\u2028\u2029]/u.test(name) ? 'The name has an invisible character.' : null
}

function logoOf(bytes: Buffer): NonNullable<Brand['logo']> {
  if (bytes.length > MAX_LOGO_BYTES) throw new BrandError(`The logo has more than ${MAX_LOGO_BYTES} bytes.`)
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) {
    requirePng(bytes)
    return { kind: 'png', content: PNG_URL + bytes.toString('base64') }
  }
  const text = bytes.toString('utf8').trim()
  requireSvg(text)
  return { kind: 'svg', content: text }
}

const PNG_SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
/** Grey and colour without transparency, which PDF/A restricts. */
const PNG_COLOURS: ReadonlySet<number> = new Set([0, 2])
const PNG_CHUNKS: ReadonlySet<string> = new Set([
  'IHDR',
  'IDAT',
  'IEND',
  'gAMA',
  'cHRM',
  'sRGB',
  'pHYs',
  'tEXt',
  'tIME',
  'bKGD',
])
const HEAD_BYTES = 8
const CHUNK_BYTES = 12

function requirePng(bytes: Buffer): void {
  const names: string[] = []
  for (let at = PNG_SIGNATURE.length; at < bytes.length;) {
    if (at + CHUNK_BYTES > bytes.length) throw new BrandError('The PNG is cut off.')
    const length = bytes.readUInt32BE(at)
    const name = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    if (!PNG_CHUNKS.has(name))
      throw new BrandError(
        `The PNG has a part that is not allowed: ${JSON.stringify(name)}. Save it without transparency and without a palette.`,
      )
    names.push(name)
    at += CHUNK_BYTES + length
    if (at > bytes.length) throw new BrandError('The PNG is cut off.')
  }
  if (names[0] !== 'IHDR' || names.at(-1) !== 'IEND' || !names.includes('IDAT'))
    throw new BrandError('The PNG is not whole.')
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const [depth, colour, , , interlace] = bytes.subarray(24, 29)
  if (width === 0 || height === 0 || width > MAX_PIXELS || height > MAX_PIXELS)
    throw new BrandError(
      `The logo has ${width} × ${height} pixels; at most ${MAX_PIXELS} on a side are allowed.`,
    )
  if (depth !== 8 || !PNG_COLOURS.has(colour!) || interlace !== 0)
    throw new BrandError('The PNG needs 8 bits, grey or colour without transparency, and no interlacing.')
}

const ELEMENTS: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'path',
  'rect',
  'circle',
  'ellipse',
  'line',
  'polyline',
  'polygon',
  'title',
])
const ATTRIBUTES: ReadonlySet<string> = new Set([
  ...[
    'xmlns',
    'viewBox',
    'width',
    'height',
    'x',
    'y',
    'x1',
    'y1',
    'x2',
    'y2',
    'cx',
    'cy',
    'r',
    'rx',
    'ry',
    'd',
    'points',
  ],
  ...[
    'fill',
    'fill-rule',
    'clip-rule',
    'stroke',
    'stroke-width',
    'stroke-linecap',
    'stroke-linejoin',
    'transform',
  ],
])
const TAG = /^<(\/?)([a-z]+)((?:\s+[A-Za-z0-9-]+="[^"<>&]*")*)\s*(\/?)>/
const ATTRIBUTE = /\s+([A-Za-z0-9-]+)="([^"]*)"/g
/** Numbers, names of colours, commands of paths: no reference to anything. */
const VALUE = /^[#A-Za-z0-9.,()+\s-]*$/
const SVG_NAMESPACE = 'http://www.w3.org/2000/svg'
const MAX_DEPTH = 20

/** Shapes only: no style sheet, text, image, script, entity, comment or link. */
function requireSvg(text: string): void {
  const open: string[] = []
  let rest = text.replace(/^<\?xml version="1\.0"(?: encoding="(?:UTF|utf)-8")?\?>\s*/, '')
  if (!/^<svg[\s>]/.test(rest)) throw new BrandError('The logo is neither a PNG nor an SVG.')
  while (rest !== '') {
    const words = /^[^<&]+/.exec(rest)?.[0] ?? ''
    if (words.trim() !== '' && open.at(-1) !== 'title')
      throw new BrandError('The SVG has text outside of its title.')
    rest = rest.slice(words.length)
    if (rest === '') break
    const [all, isEnd, name = '', attributes = '', isEmpty] = TAG.exec(rest) ?? []
    if (all === undefined || !ELEMENTS.has(name))
      throw new BrandError(`The SVG has something other than shapes: ${JSON.stringify(rest.slice(0, 40))}.`)
    for (const [, attribute = '', value = ''] of attributes.matchAll(ATTRIBUTE)) {
      const isAllowed =
        attribute === 'xmlns' ? value === SVG_NAMESPACE : VALUE.test(value) && !/url\(/i.test(value)
      if (!ATTRIBUTES.has(attribute) || !isAllowed)
        throw new BrandError(`The SVG has an attribute that is not allowed: ${attribute}.`)
    }
    if (isEnd === '/' ? open.pop() !== name : false)
      throw new BrandError('The elements of the SVG do not match.')
    if (isEnd !== '/' && isEmpty !== '/') open.push(name)
    if (open.length > MAX_DEPTH) throw new BrandError('The SVG is nested too deep.')
    rest = rest.slice(all.length)
    if (open.length === 0 && rest.trim() !== '') throw new BrandError('The SVG has something after its end.')
  }
  if (open.length > 0) throw new BrandError('The SVG is cut off.')
}
