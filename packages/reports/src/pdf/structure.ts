/**
 * Tags a document for people who do not see it (PDF/UA-1): headings, paragraphs, lists, tables with the heads of their cells, links, and
 * pictures with a text. The library has no tags: its layout names the element of each text and picture here, and its renderer marks what it
 * draws as part of that element. All else, such as lines, grounds, footers and repeated heads of tables, is marked as decoration.
 *
 * A node of a definition may state `tag`: the type of its element, or `Artifact` for decoration; and `alt`: a picture, with the text in its
 * place. Tables with the layouts `rows` and `fields` are tables; `bare` ones only place their content.
 */
import {
  loadStructureClasses,
  type LaidOutNode,
  type PdfReference,
  type StructureClasses,
  type StructuredDocument,
} from './pdfmake.js'

interface Element {
  readonly type: string
  readonly alt: string | undefined
  readonly scope: 'Row' | 'Column' | undefined
  readonly parts: Part[]
  /** Its object in the document, once something refers to it. */
  reference?: PdfReference
}

type Part = Element | MarkedContent | { readonly annotation: PdfReference; readonly page: PdfReference }

interface MarkedContent {
  readonly refs: readonly { readonly pageRef: PdfReference; readonly mcid: number }[]
}

/** What is drawn belongs to this element; the second drawing is the head of a table on a further page. */
interface Mark {
  readonly element: Element
  isDrawn: boolean
}

/** Stored on the library itself: tests load this module several times, but the library once. */
const TAKEN = Symbol.for('cupel.structure')
const ROOT = Symbol.for('cupel.structure.root')

const newElement = (
  type: string,
  { alt, scope }: { alt?: string; scope?: 'Row' | 'Column' } = {},
): Element => ({
  ...{ type, alt, scope, parts: [] },
})

function addElement(parent: Element, ...about: Parameters<typeof newElement>): Element {
  const element = newElement(...about)
  parent.parts.push(element)
  return element
}

/** Applies to the whole process; calls after the first one change nothing. */
export function tagDocuments(classes: StructureClasses = loadStructureClasses()): void {
  if (TAKEN in classes.Renderer) return
  Object.defineProperty(classes.Renderer, TAKEN, { value: true })
  buildWhileLayingOut(classes)
  markWhileDrawing(classes)
}

/** Decoration: nothing in it is an element. */
const DECORATION = newElement('Artifact')

function buildWhileLayingOut({ LayoutBuilder: { prototype } }: StructureClasses): void {
  const { layoutDocument, processNode, processTable, processList, buildNextLine } = prototype
  prototype.layoutDocument = function (...args) {
    this.element = newElement('Document')
    args[1][ROOT] = this.element
    return layoutDocument.apply(this, args)
  }
  prototype.processNode = function (node, ...rest) {
    const around = this.element as Element
    this.element = elementOf(node, around)
    processNode.call(this, node, ...rest)
    this.element = around
  }
  prototype.processTable = function (node) {
    tagTable(node, this.element as Element)
    processTable.call(this, node)
  }
  prototype.processList = function (isOrdered, node) {
    const around = this.element as Element
    if (takesElements(around)) {
      const list = addElement(around, 'L')
      for (const item of node.ul ?? []) item.element = addElement(addElement(list, 'LI'), 'LBody')
    }
    processList.call(this, isOrdered, node)
  }
  prototype.buildNextLine = function (node) {
    const line = buildNextLine.call(this, node)
    if (line !== null) line.mark = markOf(this.element as Element)
    return line
  }
  for (const name of ['processCanvas', 'processQr', 'processImage', 'processSVG'] as const) {
    const process = prototype[name]
    prototype[name] = function (node) {
      const element = this.element as Element
      const drawn = node.canvas ?? node._canvas ?? [node]
      // A drawing without a text in its place only repeats what is written next to it.
      if (element.type === 'Figure') for (const one of drawn) one.mark = markOf(element)
      process.call(this, node)
    }
  }
}

const markOf = (element: Element): Mark | undefined =>
  element === DECORATION ? undefined : { element, isDrawn: false }

const takesElements = (element: Element): boolean => element !== DECORATION && element.type !== 'Figure'

function elementOf(node: LaidOutNode, around: Element): Element {
  if (!takesElements(around)) return around
  if (node.tag === 'Artifact') return DECORATION
  if (node.alt !== undefined) return addElement(around, 'Figure', { alt: node.alt })
  const place = (node.element as Element | undefined) ?? around
  if (node.tag !== undefined) return addElement(place, node.tag)
  return node.text === undefined || place !== around ? place : addElement(place, 'P')
}

function tagTable({ layout, table }: LaidOutNode, around: Element): void {
  if (table === undefined || !takesElements(around) || (layout !== 'rows' && layout !== 'fields')) return
  const element = addElement(around, 'Table')
  for (const [index, cells] of table.body.entries()) {
    if (layout === 'rows') {
      const row = addElement(element, 'TR')
      for (const cell of cells)
        cell.element = index === 0 ? addElement(row, 'TH', { scope: 'Column' }) : addElement(row, 'TD')
      continue
    }
    // Pairs that are printed side by side are rows of their own.
    for (let at = 0; at < cells.length; at += 2) {
      const row = newElement('TR')
      cells[at]!.element = addElement(row, 'TH', { scope: 'Row' })
      cells[at + 1]!.element = addElement(row, 'TD')
      if (cells[at]!.text !== '') element.parts.push(row)
    }
  }
}

function markWhileDrawing({ Renderer: { prototype } }: StructureClasses): void {
  const { renderPages, renderLine } = prototype
  prototype.renderPages = function (pages) {
    renderPages.call(this, pages)
    writeStructure(this.pdfDocument, this.pdfDocument[ROOT] as Element)
  }
  prototype.renderLine = function (line, ...place) {
    const link = line.inlines.find((inline) => inline.link !== null && inline.link !== undefined)?.link
    const draw = (): void => renderLine.call(this, line, ...place)
    const mark = line.mark as Mark | undefined
    if (mark === undefined || !line.inlines.some(({ text }) => text !== ''))
      return drawn(this.pdfDocument, undefined, draw)
    if (typeof link !== 'string') return drawn(this.pdfDocument, mark, draw)
    const element = linkIn(mark.element)
    this.pdfDocument._currentStructureElement = annotationsOf(this.pdfDocument, element, link)
    drawn(this.pdfDocument, { element, isDrawn: mark.isDrawn }, draw)
    this.pdfDocument._currentStructureElement = null
    mark.isDrawn = true
  }
  for (const name of ['renderVector', 'renderImage', 'renderSVG'] as const) {
    const render = prototype[name]
    prototype[name] = function (item) {
      drawn(this.pdfDocument, item.mark as Mark | undefined, () => render.call(this, item))
    }
  }
}

/** Lines of one link are one element. */
function linkIn(element: Element): Element {
  const last = element.parts.at(-1)
  return last !== undefined && 'type' in last && last.type === 'Link' ? last : addElement(element, 'Link')
}

/** What the library tells of the places of a link. */
const annotationsOf = (
  document: StructuredDocument,
  element: Element,
  link: string,
): StructuredDocument['_currentStructureElement'] => ({
  dictionary: { data: { S: 'Link' } },
  add({ annotationRef: annotation }) {
    const key = document.createStructParentTreeNextKey()
    annotation.data['StructParent'] = key
    annotation.data['Contents'] = new String(link)
    document.getStructParentTree().add(key, referenceOf(document, element))
    element.parts.push({ annotation, page: document.page.dictionary })
  },
})

function drawn(document: StructuredDocument, mark: Mark | undefined, draw: () => void): void {
  if (mark === undefined || mark.isDrawn) {
    document.markContent('Artifact')
    draw()
    document.endMarkedContent()
    return
  }
  mark.isDrawn = true
  const content = document.markStructureContent(mark.element.type)
  draw()
  document.endMarkedContent()
  mark.element.parts.push(content)
}

function referenceOf(document: StructuredDocument, element: Element): PdfReference {
  element.reference ??= document.ref({ Type: 'StructElem', S: element.type })
  return element.reference
}

function writeStructure(document: StructuredDocument, root: Element): void {
  const tree = document.getStructTreeRoot()
  tree.data['K'] = [writtenElement(document, root, tree)]
  document.appendXML(IDENTIFICATION)
}

function writtenElement(document: StructuredDocument, element: Element, parent: PdfReference): PdfReference {
  const reference = referenceOf(document, element)
  const { alt, scope } = element
  const page = element.parts.flatMap((part) => ('refs' in part ? part.refs : []))[0]?.pageRef
  const kids = element.parts.filter(isFilled).flatMap((part): unknown[] => {
    if ('type' in part) return [writtenElement(document, part, reference)]
    if ('annotation' in part) return [{ Type: 'OBJR', Obj: part.annotation, Pg: part.page }]
    return part.refs.map(({ pageRef, mcid }) => {
      document.getStructParentTree().get(pageRef.data['StructParents'] as number)[mcid] = reference
      return pageRef === page ? mcid : { Type: 'MCR', Pg: pageRef, MCID: mcid }
    })
  })
  Object.assign(reference.data, {
    P: parent,
    ...(page === undefined ? {} : { Pg: page }),
    ...(alt === undefined ? {} : { Alt: new String(alt) }),
    ...(scope === undefined ? {} : { A: { O: 'Table', Scope: scope } }),
    K: kids,
  })
  reference.end()
  return reference
}

/** A cell stays though it is empty: a row has all of its cells. */
const isFilled = (part: Part): boolean =>
  !('type' in part) || part.type === 'TD' || part.type === 'TH' || part.parts.some(isFilled)

/** PDF/A takes no property that it does not know, unless the document describes it. */
const IDENTIFICATION = `
        <rdf:Description rdf:about="" xmlns:pdfuaid="http://www.aiim.org/pdfua/ns/id/">
            <pdfuaid:part>1</pdfuaid:part>
        </rdf:Description>
        <rdf:Description rdf:about="" xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/" xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#" xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#">
            <pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource">
                <pdfaSchema:schema>PDF/UA identification</pdfaSchema:schema>
                <pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>
                <pdfaSchema:prefix>pdfuaid</pdfaSchema:prefix>
                <pdfaSchema:property><rdf:Seq><rdf:li rdf:parseType="Resource">
                    <pdfaProperty:name>part</pdfaProperty:name>
                    <pdfaProperty:valueType>Integer</pdfaProperty:valueType>
                    <pdfaProperty:category>internal</pdfaProperty:category>
                    <pdfaProperty:description>Part of ISO 14289 that the document follows</pdfaProperty:description>
                </rdf:li></rdf:Seq></pdfaSchema:property>
            </rdf:li></rdf:Bag></pdfaExtension:schemas>
        </rdf:Description>
`
