/** Reads choices from one number, least significant first: one drawn number costs far less than one drawn record. */
export function chooser(drawn: number): <T>(choices: readonly T[]) => T {
  let rest = drawn
  return (choices) => {
    const chosen = choices[rest % choices.length]!
    rest = Math.floor(rest / choices.length)
    return chosen
  }
}
