/**
 * Whether a name is that of a designated party. Lists and services write one party in many ways, so names are compared without what
 * differs between spellings: case, spaces, punctuation, diacritics and legal forms.
 */

/** Letters that do not decompose into a letter and a mark. A keyboard without them writes these instead. */
const plainLetters: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ς: 'σ',
}

const longForms = [
  'limited liability company',
  'limited liability partnership',
  'joint stock company',
  'public limited company',
  'private limited',
  'общество с ограниченнои ответственностью',
  'акционерное общество',
]

const shortForms: ReadonlySet<string> = new Set(
  `ltd limited llc llp lp inc incorporated corp corporation co company plc gmbh ag ug kg ohg se sa sas sarl spa srl sl bv nv oy oyj ab
  asa aps pte pty pvt sdn bhd kk jsc ojsc cjsc pjsc ooo oao zao pao ao tov too ou sro doo dd kft zrt fze fzc fzco dmcc ltda
  ооо оао зао пао ао ип тов тоо чп лтд`
    .split(/\s+/)
    .filter((form) => form !== ''),
)

/** The words of a name, without legal forms at its ends; empty where nothing else is in it. */
export function normalizedName(name: string): string {
  const letters = name
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}'’ʼ`´]/gu, '')
    .toLowerCase()
    .replace(/[ßæœøđðłıþς]/gu, (letter) => plainLetters[letter]!)
  const words = joinedInitials(letters.replace(/[^\p{L}\p{N}]+/gu, ' ').trim())
  return withoutForms(words)
}

/** `S.A.` and `S A` are `SA`. */
const joinedInitials = (words: string): string =>
  words.replace(/(?<=^| )\p{L}(?: \p{L})+(?= |$)/gu, (initials) => initials.replaceAll(' ', ''))

function withoutForms(words: string): string {
  for (let rest = words; ; ) {
    const shorter = withoutForm(rest)
    if (shorter === rest) return rest
    rest = shorter
  }
}

function withoutForm(words: string): string {
  for (const form of longForms) {
    if (words === form) return ''
    if (words.startsWith(`${form} `)) return words.slice(form.length + 1)
    if (words.endsWith(` ${form}`)) return words.slice(0, -form.length - 1)
  }
  const parts = words.split(' ')
  if (shortForms.has(parts.at(-1)!)) return parts.slice(0, -1).join(' ')
  return shortForms.has(parts[0]!) ? parts.slice(1).join(' ') : words
}

/**
 * Whether a normalized name is the party's, or contains it as whole words. Nothing has the name of a party of which only a legal form
 * is left.
 */
export const namesParty = (name: string, party: string): boolean => party !== '' && ` ${name} `.includes(` ${party} `)
