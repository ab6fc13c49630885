/** The first page: the verdict and its limits, for a reader who reads nothing else. */
import { en, type Bar, type ReportDocument } from '../document/index.js'
import { fieldTable, pointList } from './parts.js'
import type { Content } from './pdfmake.js'
import {
  categoryColour,
  caution,
  colours,
  CONTENT_WIDTH,
  heading,
  levelColour,
  muted,
  paragraph,
  sizes,
} from './style.js'

const QR_SIZE = 76
const COLUMN_GAP = 12
const BADGE_WIDTH = 96
/** QR codes of longer addresses are too dense to scan. */
const MAX_QR_LENGTH = 300

export function verdictPage(document: ReportDocument): readonly Content[] {
  const { verdict, bars, unknown, why } = document
  return [
    muted(document.title, { tag: 'H1', fontSize: sizes.body, margin: [0, 0, 0, 8] }),
    badgeAndHeadline(document),
    muted(verdict.meaning, { fontSize: sizes.lead, margin: [0, 8, 0, 4] }),
    paragraph(`${verdict.action.label}: ${verdict.action.value}`, { bold: true, margin: [0, 2, 0, 4] }),
    ...verdict.cautions.map(caution),
    subject(document),
    { tag: 'L', stack: bars.map(barRow), margin: [0, 10, 0, 0] },
    ...(why.summary.length === 0 ? [] : [heading(why.summaryTitle), pointList(why.summary)]),
    heading(unknown.title),
    muted(unknown.intro),
    pointList(unknown.points.map(({ text }) => text)),
  ]
}

function badgeAndHeadline({ verdict }: ReportDocument): Content {
  const white = { color: '#FFFFFF', alignment: 'center' }
  return {
    layout: 'bare',
    table: {
      widths: [BADGE_WIDTH, CONTENT_WIDTH - BADGE_WIDTH],
      body: [
        [
          {
            fillColor: levelColour(verdict.level),
            stack: [
              paragraph(verdict.levelWord, {
                ...white,
                fontSize: sizes.heading,
                bold: true,
                margin: [4, 9, 4, 0],
              }),
              ...(verdict.score === ''
                ? []
                : [paragraph(verdict.score, { ...white, fontSize: 24, bold: true, margin: [0, -4, 0, 6] })]),
            ],
          },
          paragraph(verdict.headline, { fontSize: sizes.verdict, bold: true, margin: [14, 6, 0, 4] }),
        ],
      ],
    },
  }
}

function subject({ verdict, reportUrl }: ReportDocument): Content {
  const fields = {
    width: '*',
    stack: [fieldTable(verdict.subject, { width: CONTENT_WIDTH - QR_SIZE - COLUMN_GAP })],
  }
  const hasCode = reportUrl !== '' && reportUrl.length <= MAX_QR_LENGTH
  const code = {
    ...{ width: QR_SIZE, qr: reportUrl, fit: QR_SIZE, eccLevel: 'M', alignment: 'right' },
    alt: `${en.provenance.reportUrl}: ${reportUrl}`,
  }
  return { columns: hasCode ? [fields, code] : [fields], columnGap: COLUMN_GAP, margin: [0, 8, 0, 0] }
}

const BAR_LABEL_WIDTH = 92
const BAR_TEXT_WIDTH = 40
const BAR_WIDTH = CONTENT_WIDTH - BAR_LABEL_WIDTH - BAR_TEXT_WIDTH - 16

function barRow({ label, points, text, category }: Bar): Content {
  const track = { type: 'rect', x: 0, y: 3, w: BAR_WIDTH, h: 7, color: colours.fill }
  const length = (Math.max(0, Math.min(100, points)) / 100) * BAR_WIDTH
  const bar = { type: 'rect', x: 0, y: 3, w: length, h: 7, color: categoryColour(category) }
  return {
    tag: 'LI',
    columns: [
      { width: BAR_LABEL_WIDTH, ...asObject(paragraph(label, { tag: 'Lbl' })) },
      { width: BAR_WIDTH, canvas: length > 0 ? [track, bar] : [track] },
      {
        width: BAR_TEXT_WIDTH,
        ...asObject(paragraph(text, { tag: 'LBody', alignment: 'right', bold: points > 0 })),
      },
    ],
    columnGap: 8,
    margin: [0, 1, 0, 1],
  }
}

const asObject = (content: Content): object => content as object
