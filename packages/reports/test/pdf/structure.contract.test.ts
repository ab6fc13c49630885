/** What a program reads aloud of a PDF: its tags, read from the objects of the document. */
import { beforeAll, describe, expect, test } from 'vitest'
import { samples } from './samples.js'

interface Element {
  readonly type: string
  readonly dictionary: string
  readonly children: readonly Element[]
  /** Marked content that belongs to it: page object and number. */
  readonly marked: readonly string[]
}

interface Opened {
  readonly root: Element
  readonly elements: readonly Element[]
  /** Marked content of the pages: page object and number. */
  readonly onPages: readonly string[]
  /** Operators that draw text or shapes and are in no marked content. */
  readonly unmarked: readonly string[]
}

const opened = new Map<string, Opened>()
beforeAll(async () => {
  for (const [name, render] of Object.entries(samples))
    opened.set(name, openTags(Buffer.from(await render()).toString('latin1')))
})

function openTags(pdf: string): Opened {
  const objects = new Map(
    [...pdf.matchAll(/^(\d+) 0 obj\n(.*?)\nendobj$/gms)].map(([, id, text]) => [id!, text!]),
  )
  const treeRoot = [...objects.values()].find((text) => text.includes('/Type /StructTreeRoot'))!
  const elements: Element[] = []
  const elementOf = (id: string): Element => {
    const dictionary = objects.get(id)!
    const kids = /\n\/K \[(.*?)\]\n>>$/s.exec(dictionary)?.[1] ?? ''
    const page = /\n\/Pg (\d+) 0 R/.exec(dictionary)?.[1]
    const plain = kids.replaceAll(/<<.*?>>/gs, '')
    const element = {
      type: /\n\/S \/(\w+)/.exec(dictionary)![1]!,
      dictionary,
      children: [...plain.matchAll(/(\d+) 0 R/g)].map(([, kid]) => elementOf(kid!)),
      marked: [
        ...[...plain.replaceAll(/\d+ 0 R/g, '').matchAll(/\d+/g)].map(([mcid]) => `${page} ${mcid}`),
        ...[...kids.matchAll(/\/Type \/MCR\n\/Pg (\d+) 0 R\n\/MCID (\d+)/g)].map(
          ([, at, mcid]) => `${at} ${mcid}`,
        ),
      ],
    }
    elements.push(element)
    return element
  }
  const root = elementOf(/\/K \[(\d+) 0 R\]/.exec(treeRoot)![1]!)
  return { root, elements, ...pagesOf(objects) }
}

function pagesOf(objects: ReadonlyMap<string, string>): Pick<Opened, 'onPages' | 'unmarked'> {
  const onPages: string[] = []
  const unmarked: string[] = []
  for (const [id, text] of objects) {
    const contents = /^<<\n\/Type \/Page\n.*?\/Contents (\d+) 0 R/s.exec(text)?.[1]
    if (contents === undefined) continue
    let depth = 0
    for (const line of objects.get(contents)!.split('\n')) {
      if (/ (?:BMC|BDC)$/.test(line)) depth += 1
      if (line === 'EMC') depth -= 1
      const mcid = /\/MCID (\d+)/.exec(line)?.[1]
      if (mcid !== undefined) onPages.push(`${id} ${mcid}`)
      if (depth === 0 && /(?:^| )(?:TJ|Tj|f|f\*|S|B|b|Do)$/.test(line)) unmarked.push(line)
    }
  }
  return { onPages, unmarked }
}

const ofType = ({ elements }: Opened, type: string): readonly Element[] =>
  elements.filter((element) => element.type === type)

describe.each(Object.keys(samples))('%s', (name) => {
  test('begins with its title, and no level of its headings is left out', () => {
    const levels: number[] = []
    const walk = ({ type, children }: Element): void => {
      if (/^H\d$/.test(type)) levels.push(Number(type.slice(1)))
      children.forEach(walk)
    }
    walk(opened.get(name)!.root)
    expect(levels[0]).toBe(1)
    expect(levels.filter((level) => level === 1)).toHaveLength(1)
    for (const [at, level] of levels.entries()) expect(level - (levels[at - 1] ?? 0)).toBeLessThanOrEqual(1)
  })

  test('has tables whose rows have all cells, each with a head', () => {
    const tables = ofType(opened.get(name)!, 'Table')
    expect(tables.length).toBeGreaterThan(0)
    for (const { children } of tables) {
      expect(new Set(children.map((row) => row.children.length)).size).toBe(1)
      const heads = children.flatMap((row) => row.children.filter(({ type }) => type === 'TH'))
      const areColumns = children[0]!.children.every(({ type }) => type === 'TH')
      expect(heads).toHaveLength(areColumns ? children[0]!.children.length : children.length)
      for (const { dictionary } of heads)
        expect(dictionary).toMatch(areColumns ? /\/Scope \/Column/ : /\/Scope \/Row/)
    }
  })

  test('has a text in place of each picture', () => {
    for (const { dictionary } of ofType(opened.get(name)!, 'Figure'))
      expect(dictionary).toMatch(/\/Alt \(..+\)/s)
  })

  test('has each drawn thing in one element, or as decoration', () => {
    const { elements, onPages, unmarked } = opened.get(name)!
    const owned = elements.flatMap(({ marked }) => marked)
    expect(owned.toSorted()).toEqual(onPages.toSorted())
    expect(new Set(owned).size).toBe(owned.length)
    expect(unmarked).toEqual([])
  })
})

test('the picture of the flow is told in words', () => {
  const texts = ofType(opened.get('flow')!, 'Figure').map(({ dictionary }) => dictionary)
  expect(texts.some((text) => text.includes('Tornado Cash') && text.includes('Kraken'))).toBe(true)
})

test('the head of a table that continues on the next page is read once', () => {
  const { elements } = opened.get('huge')!
  const continued = elements.filter(
    ({ type, children }) =>
      type === 'Table' &&
      new Set(
        children
          .flatMap((row) => row.children.flatMap(({ marked }) => marked))
          .map((one) => one.split(' ')[0]),
      ).size > 1,
  )
  expect(continued.length).toBeGreaterThan(0)
  for (const { children } of continued) {
    const pages = children[0]!.children.flatMap(({ marked }) => marked.map((one) => one.split(' ')[0]))
    expect(new Set(pages).size).toBe(1)
  }
})

test('a link is an element with its places, and says where it leads', () => {
  const links = ofType(opened.get('red')!, 'Link')
  expect(links.length).toBeGreaterThan(0)
  for (const { dictionary } of links) expect(dictionary).toContain('/Type /OBJR')
})
