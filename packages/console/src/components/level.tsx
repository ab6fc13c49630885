/** The level of a report: a sign, a word and a colour, so that colour never stands alone. */
import { en, scoreText } from '@cupel/reports/document'

const signs: Readonly<Record<string, string>> = { red: '■', orange: '▲', green: '●', grey: '◇' }

interface LevelProps {
  /** A later version may have others. */
  readonly level: string
  /** 0 to 100, as text; absent where only the level is shown. */
  readonly score?: string | number
}

const shown = (level: string, score: string | number): string =>
  score === '' ? '' : scoreText({ level, score: Number(score) })

export function Level({ level, score }: LevelProps) {
  const isKnown = Object.hasOwn(signs, level)
  const word = isKnown ? en.levels[level as keyof typeof en.levels] : level
  return (
    <span class={`level level-${isKnown ? level : 'other'}`}>
      <span class="sign" aria-hidden="true">
        {isKnown ? signs[level] : '?'}
      </span>{' '}
      {word}
      {score === undefined || shown(level, score) === '' ? null : <span class="score"> {score}</span>}
    </span>
  )
}
