/** Any number of strings that attack a layout, a parser or a reader, made from a seed. Each one is identified by its end. */

/** A stream of numbers, the same for one seed (mulberry32). */
export function numbersOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Draw {
  below(limit: number): number
  of<T>(choices: readonly T[]): T
}

type Kind = (draw: Draw) => string

const text = (draw: Draw, length: number, alphabet: string): string =>
  Array.from({ length }, () => draw.of([...alphabet])).join('')

const code = (draw: Draw, from: number, to: number): string =>
  String.fromCodePoint(from + draw.below(to - from + 1))

/** Text that is executed, closed, interpreted, reversed, hidden or too long, by kind. */
export const hostileKinds: Readonly<Record<string, Kind>> = {
  markup: (draw) =>
    draw.of([
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "'><svg/onload=alert(1)>",
      '</title></style></textarea><iframe srcdoc="x">',
      '<a href="javascript:alert(1)">x</a>',
      '<!--<![CDATA[ ]]>--><?php x ?>',
      '&lt;b&gt;&#60;&amp;&quot;',
    ]),
  link: (draw) =>
    draw.of([
      'javascript:alert(1)',
      'data:text/html,<script>x</script>',
      'file:///etc/passwd',
      '//evil.example',
    ]),
  formula: (draw) =>
    draw.of(['=', '+', '-', '@', '\t=', '＝', '|', '%']) +
    draw.of(['HYPERLINK("http://evil.example","x")', "cmd|' /C calc'!A0", '1+1']),
  quoting: (draw) => text(draw, 1 + draw.below(12), `"'\`,;|\\()<>{}[]%&$#`),
  pdf: (draw) =>
    draw.of([
      '(Tj) ET Q endstream endobj %%EOF',
      '<</S/JavaScript/JS(app.alert(1))>>',
      '\\( \\) \\\\ \\101',
      '] TJ /OpenAction',
    ]),
  query: (draw) => draw.of(["'; DROP TABLE report; --", "' OR 1=1 --", '$1::text', '%s %n %x', 'a\\0b']),
  template: (draw) =>
    draw.of([
      '${7*7}',
      '{{constructor.constructor("return 1")()}}',
      '<%= 1 %>',
      '#{1}',
      '$(id)',
      '`id`',
      '__proto__',
      'constructor',
    ]),
  path: (draw) => draw.of(['../../etc/passwd', '..\\..\\windows', 'C:\\x', 'a%00b', '/dev/null', 'CON']),
  control: (draw) => `a${code(draw, 0, 31)}b${code(draw, 0x7f, 0x9f)}c`,
  bidi: (draw) => `abc${draw.of(['\u202E', '\u202D', '\u2066', '\u2067', '\u200F', '\u061C'])}txt.exe`,
  invisible: (draw) => `a${draw.of(['\u200B', '\u200D', '\u2060', '\uFEFF', '\u00AD', '\u3164', '\u2028'])}b`,
  surrogate: (draw) => `a${String.fromCharCode(0xd800 + draw.below(0x800))}b`,
  unassigned: (draw) => `a${code(draw, 0xe000, 0xf8ff)}${code(draw, 0x10000, 0x10ffff)}b`,
  combining: (draw) =>
    `e${Array.from({ length: 1 + draw.below(30) }, () => code(draw, 0x300, 0x36f)).join('')}`,
  cyrillic: (draw) => text(draw, 3 + draw.below(20), 'абвгдежзиклмнопрстуфхцчшщыэюяЁІЇЄ'),
  greek: (draw) => text(draw, 3 + draw.below(20), 'αβγδεζηθικλμνξοπρστυφχψωΆΈΉ'),
  han: (draw) => text(draw, 2 + draw.below(20), '拉撒路集团中国人民银行比特币地址制裁'),
  kana: (draw) => text(draw, 2 + draw.below(12), 'ラザルスグループひらがなカタカナ'),
  hangul: (draw) => text(draw, 2 + draw.below(12), '라자루스그룹암호화폐거래소'),
  hebrew: (draw) => text(draw, 3 + draw.below(8), 'אבגדהוזחטיכלמנסעפצקרשת'),
  /** Without lam, which makes ligatures that readers copy in either order. */
  arabic: (draw) => text(draw, 3 + draw.below(8), 'بتثجحخدذرزسشصضطظعغفقكمنهوي'),
  emoji: (draw) => draw.of(['😀', '👨‍👩‍👧‍👦', '🏴‍☠️', '❤️', '🇺🇸', '💰💰💰']),
  long: (draw) => text(draw, 100 + draw.below(200), 'abcdefghijklmnopqrstuvwxyzWM0123456789'),
  spaced: (draw) => text(draw, 20 + draw.below(60), 'ab   c\u00A0\u2003'),
}

/** `count` strings, of every kind in turn. Each ends with its number, in a form that no string contains by itself. */
export function hostileStrings(count: number, seed: number): readonly string[] {
  const next = numbersOf(seed)
  const draw: Draw = {
    below: (limit) => Math.floor(next() * limit),
    of: (choices) => choices[Math.floor(next() * choices.length)]!,
  }
  const kinds = Object.values(hostileKinds)
  return Array.from({ length: count }, (_, index) => `${kinds[index % kinds.length]!(draw)} #${index}#`)
}
