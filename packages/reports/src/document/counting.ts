/** Numbers in English sentences. */

/** Digits are grouped without locale data, which differ between versions of the runtime. */
export const grouped = (number: number): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

export const count = (number: number, one: string, many: string): string =>
  `${grouped(number)} ${number === 1 ? one : many}`
