/** The evidence: decisive items first, in full; items that do not count are listed with only their reason. */
import type { EvidenceView, ReportDocument } from '../document/index.js'
import { dataTable, fieldTable } from './parts.js'
import type { Content } from './pdfmake.js'
import { categoryColour, colours, CONTENT_WIDTH, heading, muted, paragraph, sizes } from './style.js'

export function evidencePages({ why }: ReportDocument): readonly Content[] {
  return [
    heading(why.title),
    muted(why.intro),
    ...why.counted.map(countedItem),
    ...(why.notCounted.length === 0
      ? []
      : [
          paragraph(why.notCountedTitle, {
            tag: 'H3',
            fontSize: sizes.lead,
            bold: true,
            margin: [0, 10, 0, 2],
          }),
          ...why.notCounted.map(notCountedItem),
        ]),
    ...(why.omitted === null ? [] : [muted(why.omitted, { margin: [0, 6, 0, 0] })]),
  ]
}

function countedItem(item: EvidenceView): Content {
  return {
    margin: [0, 8, 0, 0],
    stack: [
      { unbreakable: true, stack: [itemHead(item), fieldTable(item.fields, { columns: 2 })] },
      ...(item.counterparties === null
        ? []
        : [
            dataTable(item.counterparties, [104, 0, 92, 76, 48], {
              codeColumns: [1],
              numberColumns: [2, 3, 4],
            }),
          ]),
      ...(item.steps === null
        ? []
        : [dataTable(item.steps, [78, 74, 74, 92, 0], { codeColumns: [1, 2, 4] })]),
    ],
  }
}

function itemHead({ category, categoryWord, headline, points, isDecisive }: EvidenceView): Content {
  return {
    layout: 'bare',
    margin: [0, 0, 0, 3],
    table: {
      widths: [3, CONTENT_WIDTH - 73, 70],
      body: [
        [
          { text: '', fillColor: categoryColour(category) },
          {
            fillColor: colours.fill,
            stack: [
              muted(categoryWord, { fontSize: sizes.small, margin: [8, 3, 4, 0] }),
              paragraph(headline, {
                tag: 'H3',
                bold: true,
                fontSize: sizes.lead - 0.5,
                margin: [8, 0, 4, 4],
              }),
            ],
          },
          {
            fillColor: colours.fill,
            ...(paragraph(points, {
              alignment: 'right',
              bold: isDecisive,
              margin: [0, 8, 6, 0],
            }) as object),
          },
        ],
      ],
    },
  }
}

function notCountedItem({ headline, notCountedBecause, fields }: EvidenceView): Content {
  return {
    unbreakable: true,
    margin: [0, 4, 0, 0],
    stack: [
      paragraph(headline, { tag: 'H4', bold: true }),
      muted(notCountedBecause ?? ''),
      fieldTable(fields.filter(({ href, isCode }) => href !== undefined || isCode === true)),
    ],
  }
}
