import { sampleReports } from '@cupel/testkit'
import { describe, expect, it } from 'vitest'
import { fittedText, flowDrawing, MAX_PICTURE_NODES, reportDocument } from './index.js'

const drawings = Object.values(sampleReports()).flatMap((report) => {
  const { picture } = reportDocument(report).flow
  return picture === null ? [] : [flowDrawing(picture)]
})

describe('the drawing of the flow', () => {
  it('has every node once, inside its bounds, and no two on one place', () => {
    expect(drawings.length).toBeGreaterThan(2)
    for (const { boxes, width, height } of drawings) {
      expect(boxes.length).toBeLessThanOrEqual(MAX_PICTURE_NODES)
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

  it('leads from the sources over the address to the destinations', () => {
    for (const { boxes, lines } of drawings) {
      expect(lines).toHaveLength(boxes.length - 1)
      for (const { x1, x2 } of lines) expect(x1).toBeLessThan(x2)
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
