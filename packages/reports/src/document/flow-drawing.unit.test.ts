import { sampleReports } from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { flowColumn, flowDrawing, reportDocument } from './index.js'
import { MAX_PARTIES_PER_SIDE } from './flow-picture.js'
import { fittedText } from './flow-drawing.js'

const drawings = Object.values(sampleReports()).flatMap((report) => {
  const { picture } = reportDocument(report).flow
  return picture === null ? [] : [flowDrawing(picture), flowColumn(picture)]
})

describe('the drawing of the flow', () => {
  it('has every node once, inside its bounds, and no two on one place', () => {
    expect(drawings.length).toBeGreaterThan(2)
    for (const { boxes, width, height } of drawings) {
      expect(boxes.length).toBeLessThanOrEqual(1 + 2 * (2 * MAX_PARTIES_PER_SIDE + 2))
      for (const one of boxes) {
        expect(Math.min(one.x, one.y)).toBeGreaterThanOrEqual(0)
        expect(one.x + one.width).toBeLessThanOrEqual(width)
        expect(one.y + one.height).toBeLessThanOrEqual(height)
        const over = boxes.filter(
          (other) =>
            other.x < one.x + one.width &&
            one.x < other.x + other.width &&
            other.y < one.y + one.height &&
            one.y < other.y + other.height,
        )
        expect(over).toEqual([one])
      }
    }
  })

  it('has a line for each edge, whose head touches a node, and more width for more value', () => {
    for (const { boxes, lines, width, height } of drawings) {
      expect(lines.length).toBe(boxes.length - 1)
      for (const { points, arrow } of lines) {
        for (const { x, y } of [...points, ...arrow]) {
          expect(Math.min(x, y)).toBeGreaterThanOrEqual(0)
          expect(x).toBeLessThanOrEqual(width)
          expect(y).toBeLessThanOrEqual(height)
        }
        const tip = arrow[2]
        const isAt = (box: (typeof boxes)[number]): boolean =>
          tip.x >= box.x - 0.01 &&
          tip.x <= box.x + box.width &&
          tip.y >= box.y - 0.01 &&
          tip.y <= box.y + box.height
        expect(boxes.filter(isAt)).toHaveLength(1)
      }
    }
  })
})

describe('a text that is fitted', () => {
  it('is whole where it has room, and ends with an ellipsis where it has not', () => {
    expect(fittedText('Kraken', 6)).toBe('Kraken')
    expect(fittedText('Kraken 2', 6)).toBe('Krake…')
    expect(fittedText('', 6)).toBe('')
  })

  it('counts wide characters twice', () => {
    expect(fittedText('拉撒路集团', 10)).toBe('拉撒路集团')
    expect(fittedText('拉撒路集团', 9)).toBe('拉撒路集…')
  })
})
