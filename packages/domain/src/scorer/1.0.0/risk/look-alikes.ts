/**
 * Letters that look like Latin ones, and words that mix scripts: with both, a name can look like another one. Source of the pairs: Unicode
 * Technical Standard 39, confusables.txt.
 */

/** Each letter with the one that it looks like. */
const pairs = [
  // Cyrillic
  'аa вb еe ѕs іi јj кk мm нh оo рp сc тt уy хx һh ԁd ԛq ԝw гr ӏl ҽe пn',
  'АA ВB ЕE ЅS ІI ЈJ КK МM НH ОO РP СC ТT УY ХX ҺH ԚQ ԜW ӀI ԌG ѴV',
  // Greek
  'αa βb γy ιi κk νv οo ρp τt υu χx ωw ηn ϲc ϳj',
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX ϹC',
  // Armenian
  'օo սu ոn հh ցg զq յj',
  'ՕO ՍU ՏS Լl',
  // Cherokee
  'ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᎳW ᏃZ',
  // Latin letters of other alphabets
  'ɑa ɡg ɩi ʋu ᴀa ʙb ᴄc ᴅd ᴇe ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
]

const looksLike: ReadonlyMap<string, string> = new Map(
  pairs.flatMap((line) => line.split(' ').map((pair) => [...pair] as [string, string])),
)

/** The name in Latin letters, as far as its letters look like some. A name of another script stays what it is for the most part. */
export const asLatin = (name: string): string =>
  [...name.normalize('NFKC')].map((letter) => looksLike.get(letter) ?? letter).join('')

/** Scripts whose letters look like those of others; Japanese and Korean names mix their scripts, and Latin words, lawfully. */
const foreignTo = (script: string): RegExp =>
  new RegExp(
    String.raw`(?=.*\p{Script=${script}}).*[^\p{Script=${script}}\p{Script=Common}\p{Script=Inherited}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]`,
    'u',
  )
const mixtures = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee'].map(foreignTo)

/** Whether one word of the name has letters of several scripts that no language writes together. */
export const mixesScripts = (name: string): boolean =>
  name.split(/[^\p{L}\p{M}\p{N}]+/u).some((word) => mixtures.some((mixture) => mixture.test(word)))
